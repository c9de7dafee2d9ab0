/** Rights on the tables of webhook endpoints. */
export const ENDPOINT_GRANTS = {
  webhook_endpoint_secrets: {
    worker: 'select',
    admin: 'select insert update(expires_at)',
    dashboard: 'insert select(endpoint_id,expires_at,id,secret_id,store_id) update(expires_at)',
    views: 'select(endpoint_id,expires_at,id,store_id)',
  },
  webhook_endpoints: {
    worker: 'select update(draining)',
    admin: 'select insert update(deleted_at,disabled_at,draining,effective_at,types)',
    dashboard: 'select insert update(deleted_at,disabled_at,draining,effective_at,types)',
    views: 'select',
  },
} as const;

/** Rights on invoices, on requests to cancel them, and on the positions of their ends. */
export const INVOICE_GRANTS = {
  cancel_requests: {
    api: 'select insert',
    dashboard: 'select insert',
    worker: 'select delete update(invoice_id)',
    admin: 'select',
  },
  invoices: {
    api: 'select insert update(gate_network,gate_scope,gate_tier,quote_id)',
    worker:
      'select insert(amount_usd,callback_url,completed_url,created_at,currency,currency_amount,description,exchange_rate,expired_url,expires_at,fee_micro_usd,lifetime_minutes,metadata,methods,name,rate_evidence,request_id,store_id,trans_id) update(callback_status,cancelled_at,cancelled_by,change_position,ended_at,expired_at,expires_at,from_address,gate_network,gate_scope,gate_tier,late,paid_transfer_id,quote_id,settled_at,status,transaction_hash)',
    admin:
      'select update(cancelled_at,cancelled_by,change_position,ended_at,expired_at,from_address,gate_network,gate_scope,gate_tier,late,paid_transfer_id,quote_id,settled_at,status,transaction_hash)',
    dashboard:
      'insert select(amount_usd,callback_url,cancelled_at,completed_url,created_at,currency,currency_amount,description,exchange_rate,expired_url,expires_at,fee_micro_usd,id,late,lifetime_minutes,metadata,methods,name,quote_id,request_id,status,store_id,trans_id)',
    views: 'select',
  },
  store_positions: { worker: 'select insert update(position,taken)', admin: 'select insert update(position,taken)' },
} as const;

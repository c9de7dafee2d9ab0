const BROWSERS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'] as const;
const SYSTEMS = ['iPhone', 'iPad', 'Android', 'Windows', 'Mac OS', 'Linux'] as const;
const FULL: Partial<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS': 'macOS' };

/** Browser and system if recognized, otherwise the whole user agent. */
export function agentName(agent: string): string {
  const found = [BROWSERS, SYSTEMS].map((names) => names.find((name) => agent.includes(name)));
  const known = found.filter((name) => name !== undefined).map((name) => FULL[name] ?? name);
  return known.length > 0 ? known.join(', ') : agent;
}

/** Databases, queues and management interfaces, and ports that browsers refuse too. */
const REFUSED: ReadonlySet<number> = new Set([
  1080, 1433, 1434, 1521, 1719, 1720, 1723, 2049, 2181, 2375, 2376, 2379, 2380, 3128, 3306, 3389, 3659, 4045, 4190,
  4369, 5060, 5061, 5432, 5671, 5672, 5900, 5984, 6000, 6379, 6380, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679,
  6697, 8500, 9042, 9092, 9200, 9300, 10080, 10250, 10255, 11211, 15672, 27017, 27018, 27019,
]);
const FIRST_UNPRIVILEGED = 1024;

/** 80, 443, or a port from 1024 on that is not refused. */
export function isWebPort({ port }: URL): boolean {
  const number = Number(port);
  return port === '' || number === 80 || number === 443 || (number >= FIRST_UNPRIVILEGED && !REFUSED.has(number));
}

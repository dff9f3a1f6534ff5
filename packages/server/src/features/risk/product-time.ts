/**
 * SQL for the latest known time of the product's clock. A sandbox may move that clock ahead of the database's, so
 * compare product times with this, never with `now()` alone.
 */
export const latestProductTimeSql = `(select greatest(now(), (select max(created_at) from ledger.posting),
  (select max(confirmed_at) from rate_latest)))`

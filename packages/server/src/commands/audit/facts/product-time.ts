/**
 * The latest time that the product's clock is known to have shown, in SQL. A sandbox may move that clock ahead of the database's, so
 * what product times decide is compared with this, never with `now()` alone.
 */
export const latestProductTime = `(select greatest(now(), (select max(created_at) from ledger.posting),
  (select max(confirmed_at) from rate_latest)))`

import type { Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { IdentityContext } from '../context.ts'

const maxPerHour = 5
const hourSeconds = 3600

/**
 * Counts a mail of a kind to an address or user number. Returns false beyond `max` per hour, across processes. A
 * concurrent request for the same address waits for `tx`. Only keyed hashes of addresses are stored.
 */
export async function grantMail(
  { seals, realNow }: IdentityContext,
  tx: Tx,
  { kind, email, max = maxPerHour }: { kind: string; email: string; max?: number },
): Promise<boolean> {
  const at = realNow()
  const { rowCount } = await tx.query(
    `insert into mail_request as known (target, granted_at, last_granted_at) values ($1, array[$2::timestamptz], $2)
     on conflict (target) do update set
       granted_at = array(select moment from unnest(known.granted_at) as moment
                           where moment > $2 - make_interval(secs => $4)) || $2,
       last_granted_at = $2
     where (select count(*) from unnest(known.granted_at) as moment
             where moment > $2 - make_interval(secs => $4)) < $3`,
    [seals.mailRequest.fingerprint(`${kind} ${email.toLowerCase()}`), at, max, hourSeconds],
  )
  // After the insert, so that concurrent deletions do not wait for each other.
  await tx.query(
    `delete from mail_request where target in
       (select target from mail_request where last_granted_at < $1::timestamptz - make_interval(secs => $2)
         limit 100 for update skip locked)`,
    [at, hourSeconds],
  )
  return rowCount === 1
}

/** Counts a mail like `grantMail`. Refuses `rate_limited` beyond the limit. */
export async function requireMail(...request: Parameters<typeof grantMail>): Promise<void> {
  if (!(await grantMail(...request))) refuse('rate_limited', { retryAfterSeconds: hourSeconds })
}

import type { Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { IdentityContext } from '../context.ts'

const maxPerHour = 5
const hourSeconds = 3600

/**
 * Counts a mail of a kind to an address (or user number) and returns whether to send it: at most `max` per hour,
 * across processes. Concurrent requests wait for `tx`. Stores only keyed hashes of addresses.
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
  // After inserting the own row, so that sweeps do not wait for each other.
  await tx.query(
    `delete from mail_request where target in
       (select target from mail_request where last_granted_at < $1::timestamptz - make_interval(secs => $2)
         limit 100 for update skip locked)`,
    [at, hourSeconds],
  )
  return rowCount === 1
}

/** Counts like `grantMail` for a signed-in user, but refuses `rate_limited`. */
export async function requireMail(...request: Parameters<typeof grantMail>): Promise<void> {
  if (!(await grantMail(...request))) refuse('rate_limited', { retryAfterSeconds: hourSeconds })
}

import type { Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Seal } from '../../../platform/seal.ts'

/** Limits mails of a kind to an address (or user number) to `most` per hour, default five. */
export interface MailRequests {
  /** Counts a mail and returns whether to send it. Concurrent requests wait for `tx`. */
  grant(tx: Tx, kind: string, email: string, at: Date, most?: number): Promise<boolean>
  /** The same for a signed-in user, but refuses `rate_limited`. */
  require(tx: Tx, kind: string, email: string, at: Date, most?: number): Promise<void>
}

const mostPerHour = 5
const hourSeconds = 3600

/** Counts in the database, across processes; stores only keyed hashes of addresses. */
export function createMailRequests({ seal }: { seal: Seal }): MailRequests {
  async function grant(tx: Tx, kind: string, email: string, at: Date, most = mostPerHour): Promise<boolean> {
    const { rowCount } = await tx.query(
      `insert into mail_request as known (target, granted_at, last_granted_at) values ($1, array[$2::timestamptz], $2)
       on conflict (target) do update set
         granted_at = array(select moment from unnest(known.granted_at) as moment
                             where moment > $2 - make_interval(secs => $4)) || $2,
         last_granted_at = $2
       where (select count(*) from unnest(known.granted_at) as moment
               where moment > $2 - make_interval(secs => $4)) < $3`,
      [seal.fingerprint(`${kind} ${email.toLowerCase()}`), at, most, hourSeconds],
    )
    // After our own row, to avoid waiting on each other's sweeps.
    await forgetOld(tx, at)
    return rowCount === 1
  }
  return {
    grant,
    async require(tx, kind, email, at, most) {
      if (!(await grant(tx, kind, email, at, most))) refuse('rate_limited', { retryAfterSeconds: hourSeconds })
    },
  }
}

async function forgetOld(tx: Tx, at: Date): Promise<void> {
  await tx.query(
    `delete from mail_request where target in
       (select target from mail_request where last_granted_at < $1::timestamptz - make_interval(secs => $2)
         limit 100 for update skip locked)`,
    [at, hourSeconds],
  )
}

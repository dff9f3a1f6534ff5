import type { Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Seal } from '../../../platform/seal.ts'

/**
 * Keeps anybody from filling somebody's mailbox: at most five mails of one kind to one address within an hour, unless
 * `most` says otherwise. What is counted may as well be named by a user's number.
 */
export interface MailRequests {
  /** Counts one more mail and says whether it may be sent. Others who ask the same wait for the end of `tx`. */
  grant(tx: Tx, kind: string, email: string, at: Date, most?: number): Promise<boolean>
  /** The same, for somebody who is signed in: refuses `rate_limited`. */
  require(tx: Tx, kind: string, email: string, at: Date, most?: number): Promise<void>
}

const mostPerHour = 5
const hourSeconds = 3600

/** Counted in the database, so that all processes count together; addresses are kept as keyed hashes only. */
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
    // After one's own row, so that nobody who holds a swept one waits for another.
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

import type { Tx } from '../../../platform/database/db.ts'

/**
 * What goes with an account beside its names: what people have arranged, and what they were told. Rows that stay are the
 * books', and name a user number only. In order: rows before those that they name.
 */
const statements: readonly string[] = [
  `update schedule set state = 'stopped', paused_until = null, resume_at = null, next_on = null, next_at = null,
          warn_at = null, updated_at = $2, ended_at = $2
    where user_id = $1 and state = 'paused'`,
  'delete from protection_action where rule_id in (select id from protection_rule where user_id = $1)',
  'delete from protection_rule where user_id = $1',
  'delete from rate_alert where user_id = $1',
  'delete from rate_return_alert where user_id = $1',
  'update tracking_link set ended_at = $2 where user_id = $1 and ended_at is null',
  `update bank_link set status = 'canceled', updated_at = $2 where user_id = $1 and status = 'pending'`,
  // Of whoever was ever verified they are kept, sealed, as long as the rest of who they were.
  `update kyc_document set content = null, deleted_at = $2
    where user_id = $1 and deleted_at is null and not exists (select from retained_identity where user_id = $1)`,
  // What was decided and moved stays with the books; what they wrote and showed goes.
  `update dispute_event set text = null where text is not null
      and dispute_id in (select id from dispute where user_id = $1)`,
  `update dispute_objection set text = '' where dispute_id in (select id from dispute where user_id = $1)`,
  'update dispute_file set content = null where dispute_id in (select id from dispute where user_id = $1)',
  "update dispute set statement = '' where user_id = $1",
  'delete from own_limit where user_id = $1',
  'delete from street_setting where user_id = $1',
  'delete from street_place where user_id = $1',
  'delete from street_passed where user_id = $1',
  'delete from undo_window where user_id = $1',
  'delete from mail_choice where user_id = $1',
  'delete from notification where user_id = $1',
  'delete from correction_request where user_id = $1',
  'update consent set withdrawn_at = $2 where user_id = $1 and withdrawn_at is null',
  'delete from waitlist where email = (select lower(email) from app_user where id = $1)',
]

/** Deletes or ends all that is inert of somebody who leaves, while their names still stand. */
export async function eraseArrangements(tx: Tx, { userId, at }: { userId: bigint; at: Date }): Promise<void> {
  for (const statement of statements) {
    await tx.query(statement, statement.includes('$2') ? [userId, at] : [userId])
  }
}

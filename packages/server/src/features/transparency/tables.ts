import { type Tables, allPrivileges, appendOnly, undeletable } from '../../platform/database/tables.ts'

export const logKeyPurpose = 'transparency/log-key'

export const tables: Tables = {
  transparency_key: {
    rights: appendOnly,
    fixed: 'only_row, origin, public_key, created_at',
    personal: 'none',
    sealed: [{ column: 'private_key', key: 'origin', keyType: 'text', purpose: logKeyPurpose, context: 'origin' }],
  },
  transparency_position: {
    rights: undeletable,
    personal: 'none',
  },
  transparency_queue: {
    rights: allPrivileges,
    personal: 'none',
  },
  transparency_leaf: {
    rights: appendOnly,
    personal: 'none',
  },
  day_seal: {
    rights: appendOnly,
    personal: 'none',
  },
  day_seal_account: {
    rights: 'select, insert, delete',
    personal: { category: 'money', unread: 'derived' },
  },
  transparency_view: {
    rights: 'select, insert, delete',
    fixed: 'user_id, reference, leaf_index, place, nameless_salt',
    personal: { category: 'money', columns: 'reference as transaction_id, leaf_index, from_name, to_name' },
    erasure: [
      // Lets a running step of the log end first. Later steps see the deleted account, whose names they leave out.
      'select from transparency_position where $1::bigint is not null for update',
      'delete from transparency_view where user_id = $1',
      // The other party's proofs then use the view without names.
      `update transparency_view set named_salt = null, from_name = null, to_name = null, other_id = null
        where other_id = $1`,
    ],
  },
  transparency_tile: {
    rights: appendOnly,
    personal: 'none',
  },
  transparency_edge: {
    rights: allPrivileges,
    personal: 'none',
  },
  transparency_checkpoint: {
    rights: 'select, insert, delete',
    personal: 'none',
    // Proofs carry their own checkpoint. The last one is kept, and the last one that each witness cosigned.
    retention: {
      days: 90,
      clock: 'real',
      isOld: `signed_at < $1 and size < (select max(size) from transparency_checkpoint)
        and size not in (select size from transparency_witness)`,
    },
  },
  transparency_cosignature: {
    rights: appendOnly,
    personal: 'none',
  },
  transparency_witness: {
    rights: undeletable,
    personal: 'none',
  },
}

/** Security definer functions; true if the application role may call them directly. */
export const definerFunctions: Readonly<Record<string, boolean>> = {}

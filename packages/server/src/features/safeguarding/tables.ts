import { type Tables, appendOnly } from '../../platform/database/tables.ts'

export const tables: Tables = {
  safeguarding_day: {
    rights: appendOnly,
    personal: 'none',
  },
  safeguarding_entry: {
    rights: appendOnly,
    personal: 'none',
  },
  safeguarding_finding: {
    rights: appendOnly,
    fixed: 'id, day, bank, currency, kind, cause, subject, amount_minor, found_at, due_at',
    personal: 'none',
  },
  safeguarding_transfer: {
    rights: appendOnly,
    fixed: 'id, bank, currency, amount_minor, day, finding_id, ordered_by, because, ordered_on, ordered_at',
    personal: 'none',
  },
}

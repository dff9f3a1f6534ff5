import { travelRulePurpose } from './travel-rule/travel-rule.ts'
import { type Tables, appendOnly, allPrivileges, undeletable, readOnly } from '../../platform/database/tables.ts'

export const tables: Tables = {
  screening_policy: {
    rights: readOnly,
    personal: 'none',
  },
  screening_list: {
    rights: appendOnly,
    fixed: 'source, version, sha256, files, entries, imported_at',
    personal: 'none',
  },
  screening_fetch: {
    rights: 'select, insert, update',
    personal: 'none',
  },
  screening_entry: {
    rights: appendOnly,
    fixed: 'id, source, reference, first_version',
    personal: 'none',
  },
  screening_name: {
    rights: allPrivileges,
    personal: 'none',
  },
  screening_epoch: {
    rights: appendOnly,
    personal: 'none',
  },
  screening_person: {
    rights: appendOnly,
    fixed: 'user_id',
    personal: { category: 'identity', columns: 'screened_at' },
  },
  screening_counterparty: {
    rights: 'select, insert, delete',
    fixed: 'id, kind, user_id, created_at',
    personal: { category: 'identity', columns: 'kind, name, screened_at, created_at, ended_at', since: 'created_at' },
    // Kept with their matches for five years after the last payment.
    retention: {
      days: 1827,
      clock: 'product',
      isOld: `ended_at < $1
         and not exists (select from compliance_case where counterparty_id = screening_counterparty.id)`,
    },
  },
  case_policy: {
    rights: readOnly,
    personal: 'none',
  },
  telling_policy: {
    rights: readOnly,
    personal: 'none',
  },
  compliance_case: {
    rights: 'select, insert, delete',
    fixed: 'id, user_id, counterparty_id, kind, policy_version, opened_at',
    personal: { category: 'identity', unread: 'untold' },
    // Deleted with dependent rows. Confirmed cases are kept, since they still stop a person.
    retention: { days: 1827, clock: 'product', isOld: "decided_at < $1 and state = 'cleared'" },
    facts: {
      rows: 'cases',
      keys: 'id',
      columns: 'user_id, kind, state, stops, need, need_by, decide_by, opened_at, decided_at, decided_by',
    },
  },
  screening_match: {
    rights: appendOnly,
    fixed: 'id, user_id, counterparty_id, entry_id',
    // The law may forbid disclosing matches; the export states that checks are made, and when.
    personal: { category: 'identity', unread: 'derived' },
  },
  compliance_case_transfer: {
    rights: appendOnly,
    fixed: 'case_id, transfer_id, linked_at',
    personal: { category: 'identity', unread: 'untold' },
  },
  compliance_question: {
    rights: appendOnly,
    fixed: 'id, case_id, need, requested_at, answer_by',
    personal: {
      category: 'identity',
      columns: 'q.need, q.requested_at, q.answer_by, q.answer, q.answered_at',
      rows: 'from compliance_question q join compliance_case c on c.id = q.case_id where c.user_id = $1',
      since: 'requested_at',
    },
  },
  compliance_review: {
    rights: appendOnly,
    fixed: 'id, case_id, cause, opened_at',
    personal: { category: 'identity', unread: 'untold' },
  },
  compliance_objection: {
    rights: appendOnly,
    fixed: 'id, case_id, user_id, text, made_at',
    personal: { category: 'identity', columns: 'text, state, made_at, decide_by, decided_at', since: 'made_at' },
    facts: {
      rows: 'objections to cases',
      keys: 'id',
      columns: 'case_id, user_id, state, made_at, decide_by, decided_at, decided_by',
    },
  },
  travel_rule_threshold: {
    rights: readOnly,
    personal: 'none',
  },
  travel_rule_record: {
    rights: 'select, insert, delete',
    fixed: `transaction_id, originator_id, beneficiary_id, kind, usd_minor, threshold_country, threshold_valid_from, moved_at,
      recorded_at`,
    personal: {
      category: 'identity',
      columns: `transaction_id, kind, case originator_id when $1 then 'originator' else 'beneficiary' end as role, moved_at, recorded_at`,
      rows: 'from travel_rule_record where originator_id = $1 or beneficiary_id = $1',
      since: 'moved_at',
    },
    // Kept for five years after the transfer (FATF recommendation 11).
    retention: { days: 1827, clock: 'product', isOld: 'moved_at < $1' },
    sealed: [
      {
        column: 'content',
        key: 'transaction_id',
        keyType: 'uuid',
        purpose: travelRulePurpose,
        context: 'transaction_id::text',
      },
    ],
  },
  travel_rule_position: {
    rights: undeletable,
    personal: 'none',
  },
  monitoring_policy: {
    rights: readOnly,
    personal: 'none',
  },
  reporting_threshold: {
    rights: readOnly,
    personal: 'none',
  },
  monitoring_position: {
    rights: undeletable,
    personal: 'none',
  },
}

import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSoundBooks, type SoundBooks } from '@tern/testkit/books/sound-books'

// Each test damages a case, a held transfer, a dispute or a loss; the audit must find it.

let books: SoundBooks
beforeAll(async () => {
  books = await createSoundBooks({ withChecks: true })
})
afterAll(() => books.drop())

const [
  frozenMoneyRule,
  twoPeopleRule,
  deadlineRule,
  holdReasonRule,
  singleCreditRule,
  disputeMoveRule,
  lossPaymentRule,
  unrecoveredRule,
] = [
  'nothing moves while a case of it stands',
  'cases are ended by two people',
  'open cases wait for somebody, until a time',
  'what is held knows for what, and until when',
  'a disputed transaction is given back once',
  'disputes moved what they say, and nothing else did',
  'losses that people paid are in the ledger',
  'credits that could not be taken back are losses',
]

test('sound books have no fault', async () => {
  expect(await books.findBroken('select')).toEqual({})
})

const caseTransferSql = `id in (select transfer_id from compliance_case_transfer)`
const clearedReviewSql = `subject in (select r.id from compliance_review r join compliance_case c on c.id = case_id where c.state = 'cleared')`

test.each<readonly [what: string, damage: string, expected: Record<string, string>]>([
  [
    'a transfer that settled while its case stands open',
    `update transfer set state = 'settled', decided_at = now(), decided_by = 'cases' where ${caseTransferSql} and state = 'held'`,
    { [frozenMoneyRule]: 'is settled, and case' },
  ],
  [
    'a transfer that was released while its case stands open',
    `update transfer set state = 'released', release_reason = 'rejected', decided_at = now(), decided_by = 'cases' where ${caseTransferSql} and state = 'held'`,
    { [frozenMoneyRule]: 'is released, and case' },
  ],
  [
    'a case that stands again behind a transfer that has settled',
    `update compliance_case set state = 'confirmed' where state = 'cleared'`,
    { [frozenMoneyRule]: 'is confirmed' },
  ],
  [
    'a case that one person cleared',
    `delete from desk_decision where ${clearedReviewSql} and seat = 'second'`,
    { [twoPeopleRule]: 'is cleared by 1 of 2' },
  ],
  [
    'a case that the same person cleared twice',
    `alter table desk_decision drop constraint desk_decision_different_people;
     update desk_decision d set operator_id = (select operator_id from desk_decision f where f.subject = d.subject and f.seat = 'first')
      where ${clearedReviewSql}`,
    { [twoPeopleRule]: 'is cleared by 1 of 2' },
  ],
  [
    'a case that two people decided otherwise',
    `update desk_decision set verdict = 'confirm' where ${clearedReviewSql}`,
    { [twoPeopleRule]: 'is cleared by 0 of 2' },
  ],
  [
    'a case that was cleared without anybody',
    `update compliance_case set state = 'cleared', decided_at = now(), decided_by = 'nobody' where state = 'open'`,
    { [twoPeopleRule]: 'is cleared by 0 of 2' },
  ],
  [
    'a case that nobody is asked about',
    `update compliance_review set closed_at = now() where closed_at is null`,
    { [deadlineRule]: 'waits for nobody' },
  ],
  [
    'a case whose person was never asked',
    `update compliance_case set need = 'document', need_by = now() + interval '1 day' where state = 'open'`,
    { [deadlineRule]: 'waits for nobody' },
  ],
  [
    'a case whose deadline nobody has carried out',
    `update compliance_case set decide_by = now() - interval '2 hours' where state = 'open'`,
    { [deadlineRule]: 'is past its deadline, and no lead has it' },
  ],
  [
    'a hold without a case',
    `update screening_policy set is_required = false; delete from compliance_case_transfer`,
    { [holdReasonRule]: 'is held by compliance without a case' },
  ],
  [
    'a hold that ends at another time than its case',
    `update transfer set held_until = held_until + interval '1 minute' where state = 'held' and ${caseTransferSql}`,
    { [holdReasonRule]: 'is held by compliance until' },
  ],
  [
    'a hold of street mode that nothing tells when to confirm',
    `delete from street_hold`,
    { [holdReasonRule]: 'is held by street_mode and can never be confirmed' },
  ],
  [
    'a hold of street mode that ends before it can be confirmed',
    `update transfer set held_until = held_at + interval '1 minute' where hold_reason = 'street_mode'`,
    { [holdReasonRule]: 'is held by street_mode and can never be confirmed' },
  ],
  [
    'a second dispute that gave the same money back again',
    `update dispute set transaction_id = (select transaction_id from dispute where state = 'upheld'), state = 'withdrawn', outcome = 'withdrawn'
      where state = 'dismissed';
     delete from dispute_posting where kind = 'taken_back'`,
    { [singleCreditRule]: 'was given back' },
  ],
  [
    'a dispute that gave back more fee than was paid',
    `update dispute_posting set fee_minor = amount_minor where kind = 'final'`,
    { [singleCreditRule]: 'as fee' },
  ],
  [
    'a dispute that says it was credited',
    `update dispute set outcome = 'credited'; delete from dispute_posting where kind = 'provisional'`,
    { [disputeMoveRule]: 'is credited, and nothing was given' },
  ],
  [
    'a refund that names no dispute',
    `delete from dispute_posting where kind = 'final'`,
    { [disputeMoveRule]: 'is a dispute_refund of no dispute' },
  ],
  [
    'a loss that says it was paid',
    `update reconciliation_exception set resolution = 'paid_by_person', closed_at = now() where kind = 'loss' and closed_at is null`,
    { [lossPaymentRule]: 'of which nothing was paid' },
  ],
  [
    'a loss of a credit that is larger than the credit',
    `update reconciliation_exception x set amount_minor = amount_minor + 10000 from dispute d where d.id = x.reference`,
    { [unrecoveredRule]: 'lacked' },
  ],
  [
    'a loss of a credit that was paid and says otherwise',
    `update reconciliation_exception x set resolution = 'recovered' from dispute d where d.id = x.reference`,
    { [unrecoveredRule]: 'its loss is recovered' },
  ],
  [
    'a payment for a credit of which nothing was missing',
    `delete from reconciliation_exception x using dispute d where d.id = x.reference`,
    { [unrecoveredRule]: 'lacked nothing' },
  ],
])('%s is found', async (_, damageSql, expected) => {
  expect(await books.findBroken(damageSql)).toMatchObject(
    Object.fromEntries(Object.entries(expected).map(([rule, text]) => [rule, expect.stringContaining(text)])),
  )
})

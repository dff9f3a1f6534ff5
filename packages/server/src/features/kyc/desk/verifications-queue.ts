import { fullName } from '@tern/contract/kyc/person-names'
import type { Queue, QueueEntry } from '../../../manifests/desk-queue.ts'
import { codeFact, momentFact, textFact } from '../../../platform/operations/desk-facts.ts'
import { refuse } from '../../../platform/refuse.ts'
import { personFacts } from '../../identity/identity.ts'
import { manualVerdicts, type SubmissionInReview } from '../manual-decision.ts'
import { documentFacts, readFormFiles, openDocument } from './document-files.ts'
import { formComparison } from './form-comparison.ts'

const toEntry = ({ id, userId, firstName, lastName, reasons, submittedAt }: SubmissionInReview): QueueEntry => ({
  id,
  kind: 'verification',
  who: fullName({ firstName, lastName }),
  amount: null,
  usdMinor: null,
  people: [userId],
  openedAt: submittedAt,
  dueAt: null,
  // Needs two operators, because one user loses the number that another gets.
  isForTwo: reasons.some(({ code }) => code === 'number_in_review'),
})

/** Queue of forms that the identity provider leaves to operators. */
export const verificationsQueue: Queue = {
  name: 'verifications',
  verdicts: manualVerdicts,
  soleVerdicts: ['ask_document', 'ask_id_number'],
  reading: { purpose: 'verification', what: ['identity', 'numbers', 'address'] },
  list: async ({ kyc }, db) => (await kyc.reviews.list(db)).map(toEntry),

  async find({ kyc }, db, id) {
    const submission = await kyc.reviews.find(db, id)
    return submission && toEntry(submission)
  },

  async readSections({ kyc, identity }, db, id) {
    const form = await kyc.reviews.find(db, id)
    if (!form) return []
    const people = await identity.usersById(db, [form.userId])
    return [
      {
        code: 'form',
        chapter: 'match',
        comparison: formComparison(form),
        facts: [...documentFacts(await readFormFiles(db, form)), momentFact('submitted_at', form.submittedAt)],
      },
      {
        code: 'check',
        chapter: 'rules',
        facts: [
          textFact('provider', form.provider),
          ...form.reasons.map(({ code }) => codeFact('provider_says', code)),
          textFact('numbers_in_other_forms', String(form.sharedNumbers)),
        ],
      },
      { code: 'account', chapter: 'people', facts: personFacts(people.get(form.userId)) },
    ]
  },

  async readFile({ kyc }, db, { id, fileId }) {
    const form = await kyc.reviews.find(db, id)
    return openDocument(kyc, { files: form ? await readFormFiles(db, form) : [], fileId })
  },

  async perform({ kyc }, _db, { id, verdict }) {
    const knownVerdict = manualVerdicts.find((candidate) => candidate === verdict) ?? refuse('not_found')
    await kyc.reviews.decide({ id, verdict: knownVerdict })
  },
}

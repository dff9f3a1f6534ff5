import { wholeName } from '@tern/contract/kyc/person-names'
import type pg from 'pg'
import type { Identity } from '../../identity/identity.ts'
import { type Kyc, manualVerdicts, type SubmissionInReview } from '../../kyc/kyc.ts'
import { refuse } from '../../../platform/refuse.ts'
import { documentFacts, filesOfForm, openDocument } from './document-files.ts'
import { formComparison } from '../comparisons/form-comparison.ts'
import { personFacts } from './people-facts.ts'
import { codeFact, momentFact, textFact } from '../facts.ts'
import type { Queue, QueueEntry } from './queue.ts'

interface Options {
  readonly pool: pg.Pool
  readonly kyc: Pick<Kyc, 'documents' | 'reviews'>
  readonly identity: Pick<Identity, 'usersById'>
}

const entryOf = ({ id, userId, firstName, lastName, reasons, submittedAt }: SubmissionInReview): QueueEntry => ({
  ...{
    id,
    kind: 'verification',
    who: wholeName({ firstName, lastName }),
    amount: null,
    usdMinor: null,
    people: [userId],
  },
  ...{ openedAt: submittedAt, dueAt: null },
  // One person loses the number that another is given.
  isForTwo: reasons.some(({ code }) => code === 'number_in_review'),
})

/** Queue of forms the identity provider leaves to a manual decision. */
export function createVerificationsQueue({ pool, kyc, identity }: Options): Queue {
  return {
    name: 'verifications',
    verdicts: manualVerdicts,
    soleVerdicts: ['ask_document', 'ask_id_number'],
    reading: { purpose: 'verification', what: ['identity', 'numbers', 'address'] },
    list: async () => (await kyc.reviews.list()).map(entryOf),
    async find(id) {
      const submission = await kyc.reviews.find(id)
      return submission && entryOf(submission)
    },

    async sectionsOf({ id }) {
      const form = await kyc.reviews.find(id)
      if (!form) return []
      const people = await identity.usersById(pool, [form.userId])
      return [
        {
          code: 'form',
          chapter: 'match',
          comparison: formComparison(form),
          facts: [...documentFacts(await filesOfForm(pool, form)), momentFact('submitted_at', form.submittedAt)],
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

    async file({ id }, fileId) {
      const form = await kyc.reviews.find(id)
      return openDocument(kyc, form ? await filesOfForm(pool, form) : [], fileId)
    },

    async perform({ id }, verdict) {
      const known = manualVerdicts.find((one) => one === verdict) ?? refuse('not_found')
      await kyc.reviews.decide({ id, verdict: known })
    },
  }
}

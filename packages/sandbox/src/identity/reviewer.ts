import { ApiError, newId, requireFound } from '../server/api.ts'
import type { Clock } from '../control/clock.ts'
import type { Store } from '../server/store.ts'
import type { Webhooks } from '../server/webhooks.ts'
import {
  type CheckOutcome,
  findCourse,
  decisionDelayMs,
  type Reason,
  listReasons,
  type Verdict,
} from './magic-identities.ts'

/** Identity check as in the API's reply. */
export interface CheckReply {
  check_id: string
  status: 'pending' | Verdict
  reasons: Reason[]
  is_hosted: boolean
}

interface CheckRow {
  reference: string
  id: string
  status: CheckReply['status']
  /** JSON array of `Reason`. */
  reasons: string
  /** JSON of a `CheckOutcome`. The details of the person are never stored. */
  course: string
  return_url: string
  /** Number of uploaded files, which are never stored. */
  files: number
  /** Time of the decision, in milliseconds of real time; null while the check waits for a person or is decided. */
  due_at_ms: number | null
  /** Single-use key in the address of the hosted page. */
  page_key: string | null
}

export interface NewCheck {
  reference: string
  details: Readonly<Record<string, string>>
  returnUrl: string
  files: number
}

interface Dependencies {
  store: Store
  clock: Clock
  webhooks: Webhooks
  publicUrl: () => string
}

export type Reviewer = ReturnType<typeof createReviewer>

const isPageOpen = ({ status, course }: CheckRow): boolean =>
  (JSON.parse(course) as CheckOutcome).isHosted === true && (status === 'pending' || status === 'needs_information')

const toReply = (row: CheckRow): CheckReply => ({
  ...{ check_id: row.id, status: row.status, reasons: JSON.parse(row.reasons) as Reason[] },
  is_hosted: isPageOpen(row) && row.due_at_ms === null,
})

/**
 * Creates the reviewer, which decides checks by their magic values shortly after submission, and queues an event for
 * each decision.
 */
export function createReviewer({ store, clock, webhooks, publicUrl }: Dependencies) {
  let timer: NodeJS.Timeout | undefined

  const find = (id: string): CheckRow =>
    requireFound(store.get<CheckRow>('select * from identity_check where id = ?', id), 'identity check')

  function decide(row: CheckRow, verdict: Verdict, reasons: Reason[]): void {
    const { events } = JSON.parse(row.course) as CheckOutcome
    store.transact(() => {
      const status = { status: verdict, reasons: JSON.stringify(reasons), due_at_ms: null }
      store.update('identity_check', row.id, status)
      const data = { check_id: row.id, reference: row.reference, status: verdict }
      webhooks.enqueue({ type: `identity.${verdict}`, createdAt: clock.now(), data }, events)
    })
    webhooks.scheduleNow()
  }

  function decideDue(row: CheckRow): void {
    const course = JSON.parse(row.course) as CheckOutcome
    const isAnswered = course.appliesUnlessFiled === true && row.files > 0
    decide(row, isAnswered ? 'verified' : course.verdict, isAnswered ? [] : listReasons(course))
  }

  function executeDue(): void {
    clearTimeout(timer)
    const now = Date.now()
    const dueChecks = store.all<CheckRow>('select * from identity_check where due_at_ms <= ? order by due_at_ms', now)
    dueChecks.forEach(decideDue)
    const next = store.get<{ at: number | null }>('select min(due_at_ms) as at from identity_check')?.at
    if (next !== null && next !== undefined) timer = setTimeout(executeDue, Math.max(next - Date.now(), 1))
  }

  return {
    /** Starts a check. For a known reference, returns the existing check. */
    start({ reference, details, returnUrl, files }: NewCheck): CheckReply {
      const existing = store.get<CheckRow>('select * from identity_check where reference = ?', reference)
      if (existing) return toReply(existing)
      // Without a return address, the person could not get back from a hosted page.
      const course = returnUrl === '' ? { ...findCourse(details), isHosted: false } : findCourse(details)
      const row: CheckRow = {
        ...{ reference, id: newId('ck'), status: 'pending', reasons: '[]', course: JSON.stringify(course), files },
        ...{ return_url: returnUrl, page_key: null },
        due_at_ms: course.isHosted ? null : Date.now() + (course.delayMs ?? decisionDelayMs),
      }
      store.insert('identity_check', { ...row, created_at: clock.now().toISOString() })
      executeDue()
      return toReply(row)
    },
    show: (id: string): CheckReply => toReply(find(id)),

    /** Decides a check by hand. Throws ApiError 409 unless it is pending or in review. */
    decide(id: string, verdict: Verdict): CheckReply {
      const row = find(id)
      if (row.status !== 'in_review' && row.status !== 'pending') {
        throw new ApiError(409, 'already_decided', 'This check is decided.')
      }
      const reasons = [{ field: 'last_name', code: 'not_confirmed', message: 'We could not confirm this.' }]
      decide(row, verdict, verdict === 'verified' ? [] : reasons)
      return toReply(find(id))
    },
    /** Deletes the reasons and the return address of a check, and ends its page and its pending decision. */
    redact(id: string): void {
      const { id: existing } = find(id)
      store.update('identity_check', existing, { reasons: '[]', return_url: '', page_key: null, due_at_ms: null })
    },
    ...createPages({ store, publicUrl, find, executeDue }),
    executeDue,
    stop: () => clearTimeout(timer),
  }
}

interface PageParts extends Pick<Dependencies, 'store' | 'publicUrl'> {
  find: (id: string) => CheckRow
  executeDue: () => void
}

const unreadableOutcome: CheckOutcome = {
  ...{ verdict: 'needs_information', isHosted: true, about: 'document', code: 'document_unreadable' },
  message: 'We could not read the document.',
}

/** Hosted pages of checks, each at a single-use address. */
const createPages = ({ store, publicUrl, find, executeDue }: PageParts) => ({
  /** Creates a new address for the page of a check; `ended` if the check needs no page. */
  openPage(id: string): { status: 'open'; url: string } | { status: 'ended' } {
    const row = find(id)
    if (!isPageOpen(row) || row.due_at_ms !== null) return { status: 'ended' }
    const key = newId('ip')
    store.update('identity_check', id, { page_key: key })
    return { status: 'open', url: `${publicUrl()}/identity/${key}` }
  },
  /** Returns the return address of a page; undefined once the page is completed or has a newer address. */
  ofPage: (key: string): { returnUrl: string } | undefined => {
    const row = store.get<CheckRow>('select * from identity_check where page_key = ?', key)
    return row && { returnUrl: row.return_url }
  },
  /**
   * Records the outcome of a page and schedules the decision. Returns the return address; undefined if the page was
   * completed before.
   */
  finishPage(key: string, result: 'done' | 'unreadable'): string | undefined {
    const row = store.get<CheckRow>('select * from identity_check where page_key = ?', key)
    if (!row) return undefined
    const course: CheckOutcome = result === 'done' ? { verdict: 'verified', isHosted: true } : unreadableOutcome
    store.update('identity_check', row.id, {
      ...{ page_key: null, status: 'pending', reasons: '[]', course: JSON.stringify(course) },
      due_at_ms: Date.now() + decisionDelayMs,
    })
    executeDue()
    return row.return_url
  },
})

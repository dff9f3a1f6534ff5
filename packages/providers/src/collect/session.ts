// Ids of sessions. A provider may give the payment made on a page an id of its own, which only its events name, and report
// its capture only there: `page`, then `page/payment`, then `page/payment/captured`. An event may not know the page.

export interface SessionParts {
  readonly page: string
  readonly payment: string
  readonly isCaptured: boolean
}

export function splitSession(sessionId: string): SessionParts {
  const [page = '', payment = '', step] = sessionId.split('/')
  return { page, payment, isCaptured: step === 'captured' }
}

export const joinSession = ({ page, payment, isCaptured }: SessionParts): string =>
  payment === '' ? page : `${page}/${payment}${isCaptured ? '/captured' : ''}`

const agree = (a: string, b: string): boolean => a === b || a === '' || b === ''

/** Returns whether two ids name the same session, as far as both are known. */
export function isSameSession(a: string, b: string): boolean {
  const [left, right] = [splitSession(a), splitSession(b)]
  return agree(left.page, right.page) && agree(left.payment, right.payment)
}

/** Returns the id with all that is known of one session. */
export function mergeSessions(stored: string, reported: string): string {
  const [known, added] = [splitSession(stored), splitSession(reported)]
  return joinSession({
    page: known.page || added.page,
    payment: known.payment || added.payment,
    isCaptured: known.isCaptured || added.isCaptured,
  })
}

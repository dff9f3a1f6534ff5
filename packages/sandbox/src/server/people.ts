import { createHash } from 'node:crypto'
import type { Store } from './store.ts'

export interface Person {
  readonly email: string
  readonly name: string
  /** True if the provider has verified the email address. */
  readonly isConfirmed: boolean
  /** Shown beside the account: what it demonstrates. */
  readonly note: string
}

/** Fictional accounts that the account chooser always offers. */
export const inventedPeople: readonly Person[] = [
  { email: 'mia.lindqvist@sandbox.example', name: 'Mia Lindqvist', isConfirmed: true, note: '' },
  { email: 'kofi.mensah@sandbox.example', name: 'Kofi Mensah', isConfirmed: true, note: '' },
  { email: 'sam.rivera@sandbox.example', name: 'Sam Rivera', isConfirmed: false, note: 'Address not confirmed' },
  { email: 'ines@demo.tern.example', name: 'Ines Okafor', isConfirmed: true, note: 'Has a password at Tern' },
]

/** Derives the permanent subject of an account from its email address. */
const deriveSubject = (email: string): string =>
  createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 24)

export type People = ReturnType<typeof createPeople>

export const createPeople = (store: Store) => ({
  /** Stores an account for later requests for its claims; returns its subject. */
  save({ email, name, isConfirmed }: Pick<Person, 'email' | 'name' | 'isConfirmed'>): string {
    const subject = deriveSubject(email)
    store.replace('person', { subject, email: email.toLowerCase(), name, is_confirmed: isConfirmed ? 1 : 0 })
    return subject
  },
  /** Returns the OpenID Connect claims of an account; undefined if unknown. */
  loadClaims(subject: string) {
    const row = store.get<{ email: string; name: string; is_confirmed: number }>(
      'select email, name, is_confirmed from person where subject = ?',
      subject,
    )
    return row && { sub: subject, email: row.email, email_verified: row.is_confirmed === 1, name: row.name }
  },
})

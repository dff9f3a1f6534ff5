import { isInitials, type Personal } from '../money/activity.ts'

/** What a sentence calls the other person: the first name, or the username where only initials are known. */
export function shortNameOf({ counterparty }: Personal): string {
  const { name, username = '' } = counterparty ?? {}
  return name && !isInitials(name) ? (name.split(' ')[0] ?? username) : username
}

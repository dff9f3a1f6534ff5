import type { Name } from './patterns.ts'

/** Shortest username for which one different letter is noticed by no one. */
const minLength = 5

/** Plain letters of a username: without separators, and with letters that look alike as one. */
const toPlain = (username: string): string =>
  username
    .toLowerCase()
    .replaceAll(/[._-]/g, '')
    .replaceAll('0', 'o')
    .replaceAll(/[1i]/g, 'l')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')

/** Returns whether one letter added, removed, replaced or exchanged with its neighbor turns `a` into `b`. */
export function isOneEditAway(a: string, b: string): boolean {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  const rest = Math.min(a.length, b.length) - start
  while (end < rest && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  if (left.length <= 1 && right.length <= 1) return true
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0]
}

/** Returns whether two people are easily confused: by the same full name, or by usernames that differ in one letter. */
export function isNearName(known: Name, payee: Name): boolean {
  if (known.username === payee.username) return false
  const isSameName = known.name !== null && known.name.toLowerCase() === payee.name?.toLowerCase()
  const [a, b] = [toPlain(known.username), toPlain(payee.username)]
  return isSameName || (Math.min(a.length, b.length) >= minLength && isOneEditAway(a, b))
}

import { hash, verify } from '@node-rs/argon2'
import { type Reason, refuse } from '../../../platform/refuse.ts'
import { isCommonPassword } from './common-passwords.ts'

// Argon2id with OWASP's first recommended parameters: 19 MiB, two passes, one lane.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// Keyboards may encode the same characters differently.
const spelled = (password: string) => password.normalize('NFKC')

// Some seconds of work; longer queues would outlast their callers.
const mostWaiting = 200
const retryAfterSeconds = 5
let waiting = 0

/** Runs one hash, unless too many wait in this process. Refuses `rate_limited`. */
async function takePlace<T>(work: () => Promise<T>): Promise<T> {
  if (waiting >= mostWaiting) refuse('rate_limited', { retryAfterSeconds })
  waiting += 1
  try {
    return await work()
  } finally {
    waiting -= 1
  }
}

/** The hash to store. Refuses `rate_limited` while too many wait. */
export const hashPassword = (password: string): Promise<string> => takePlace(() => hash(spelled(password), cost))

let decoy: Promise<string> | undefined

/**
 * Whether the password matches `stored`; without one, false in the same time. Refuses `rate_limited` while too many
 * wait.
 */
export async function isPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  return takePlace(async () => {
    decoy ??= hash('nobody has this password', cost)
    const matches = await verify(stored ?? (await decoy), spelled(password))
    return matches && typeof stored === 'string'
  })
}

/** Why a new password is too easy to guess, if so. The contract checks length. */
export function passwordWeakness(password: string, owner: { email: string; username: string }): Reason | undefined {
  const plain = spelled(password).toLowerCase()
  const known = [owner.email, owner.email.split('@')[0], owner.username].map((text) => text?.toLowerCase())
  if (known.includes(plain)) return 'password_is_name'
  const isRepetition = /^(.{1,4})\1+$/su.test(plain)
  if (isRepetition || isSequence(plain) || isCommonPassword(plain)) {
    return 'password_easy_to_guess'
  }
  return undefined
}

const sequences = [
  '0123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
]

function isSequence(text: string): boolean {
  return sequences.some((sequence) => {
    // not money: a count of characters
    const endless = sequence.repeat(Math.ceil(text.length / sequence.length) + 1)
    return endless.includes(text) || endless.split('').toReversed().join('').includes(text)
  })
}

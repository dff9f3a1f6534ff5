import { normalizeNetwork } from '../../../platform/http/rate-limits.ts'
import { type Reason, Refusal } from '../../../platform/refuse.ts'
import type { Client } from '../sessions/sessions.ts'
import { isCommonPassword } from './common-passwords.ts'
import { isMadeOfContextWords } from './context-words.ts'
import { createFairQueue } from '../../../platform/threads/fair-queue.ts'
import { inThread, threadCount } from './password-threads.ts'

// Argon2id with the minimum recommended by OWASP: 19 MiB, two passes, one lane.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// Keyboards encode some characters differently, for example as composed and as decomposed.
const normalizePassword = (password: string) => password.normalize('NFKC')

// Two to three seconds of work; users would not wait longer.
const maxWaitingPerThread = 40
const maxWaitingPerKey = 10
const retryAfterSeconds = 3

const queue = createFairQueue({
  atOnce: threadCount,
  perLine: maxWaitingPerKey,
  inTotal: maxWaitingPerThread * threadCount,
  turnAway: (cause) => {
    const reason = cause === 'line_full' ? 'logins_of_network' : 'logins_of_all'
    return new Refusal('rate_limited', { reason, retryAfterSeconds })
  },
})

/** Returns the key of a client's queue for password checks. All clients of one network share a queue. */
export const queueKey = ({ address }: Pick<Client, 'address'>): string => normalizeNetwork(address)

const hash = async (password: string): Promise<string> => String(await inThread({ password, cost }))

/** Hashes a password for storage. `key`: see `queueKey`. Refuses `rate_limited` while the queue is full. */
export const hashPassword = (password: string, key: string): Promise<string> =>
  queue(key, () => hash(normalizePassword(password)))

let decoy: Promise<string> | undefined

/** Returns a hash to verify against for unknown users, so that the check takes as long. A failure is not cached. */
async function decoyHash(): Promise<string> {
  decoy ??= hash('nobody has this password')
  try {
    return await decoy
  } catch (error) {
    decoy = undefined
    throw error
  }
}

/**
 * True if the password matches `storedHash`. Without a hash returns false after the same time. `key`: see `queueKey`.
 * Refuses `rate_limited` while the queue is full.
 */
export const isPassword = (storedHash: string | null | undefined, password: string, key: string): Promise<boolean> =>
  queue(key, async () => {
    const noMatch = await decoyHash()
    const matches = await inThread({ password: normalizePassword(password), stored: storedHash ?? noMatch })
    return matches === true && typeof storedHash === 'string'
  })

/** Returns why a new password is too easy to guess; undefined if it is not. The contract checks its length. */
export function passwordWeakness(
  password: string,
  owner: { readonly email: string; readonly username: string; readonly operatorName?: string | undefined },
): Reason | undefined {
  const plain = normalizePassword(password).toLowerCase()
  const ownerTexts = [owner.email, owner.email.split('@')[0], owner.username].map((text) => text?.toLowerCase())
  if (ownerTexts.includes(plain)) return 'password_is_name'
  if (isMadeOfContextWords(plain, owner)) return 'password_of_context'
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
    const repeatedSequence = sequence.repeat(Math.ceil(text.length / sequence.length) + 1)
    return repeatedSequence.includes(text) || repeatedSequence.split('').toReversed().join('').includes(text)
  })
}

import { isIPv4 } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type pg from 'pg'
import { createRateCounts, type RateCounts } from './rate-counts.ts'
import { Refusal } from '../refuse.ts'
import { createSeal, type Secret } from '../seal.ts'
import { type Metrics, startAtZero } from '../runtime/metrics.ts'

/** Counts a request; refuses `rate_limited` with the seconds to wait if it exceeds the limit. */
export type Limit = (request: FastifyRequest) => Promise<void>

/** Limit for calls that count depending on their outcome; calling it directly counts at once. */
export interface OutcomeLimit extends Limit {
  /**
   * Runs `work` and counts it if `counts` accepts its error; success does not count. Across processes, no more calls
   * run at once than the limit still allows; others wait. Refuses `rate_limited` before `work` starts.
   */
  around<T>(request: FastifyRequest, work: () => Promise<T>, counts: (error: unknown) => boolean): Promise<T>
}

export interface Limits extends RateCounts {
  /** Reserves the name of a limit; throws if it is taken. */
  claim(name: string): string
  /** Returns a hash of the address's network. */
  networkKey(address: string): string
}

declare module 'fastify' {
  interface FastifyInstance {
    limits: Limits
  }
}

interface LimitsOptions {
  readonly pool: pg.Pool
  readonly secret: Secret
  readonly metrics: Pick<Metrics, 'rateLimited'>
}

/** Creates limits that are counted in the database of `pool`; addresses are hashed with a key from `secret`. */
export function createLimits({ pool, secret, metrics: { rateLimited } }: LimitsOptions): Limits {
  const names = new Set<string>()
  const seal = createSeal(secret, 'rate-limit')
  const counts = createRateCounts(pool)
  /** Counts a refusal under the name of its limit, with which the key begins. */
  function refuseCounted(key: string, error: unknown): never {
    if (error instanceof Refusal && error.code === 'rate_limited') rateLimited.inc({ limit: key.split(' ')[0] ?? '' })
    throw error
  }
  return {
    count: (key, ...limit) => counts.count(key, ...limit).catch((error: unknown) => refuseCounted(key, error)),
    hold: (key, max) => counts.hold(key, max).catch((error: unknown) => refuseCounted(key, error)),
    claim(name) {
      if (names.has(name)) throw new Error(`there are two limits called ${name}`)
      names.add(name)
      startAtZero(rateLimited, [{ limit: name }])
      return name
    },
    networkKey: (address) => seal.fingerprint(normalizeNetwork(address)).toString('base64url'),
  }
}

/** Returns the network of an address: for IPv6 its /64, which usually belongs to one customer. */
export function normalizeNetwork(address: string): string {
  if (isIPv4(address)) return address
  const addressWithoutZone = address.replace(/%.*$/, '')
  if (!URL.canParse(`http://[${addressWithoutZone}]`)) return address
  const [head = '', tail] = new URL(`http://[${addressWithoutZone}]`).hostname.slice(1, -1).split('::')
  const groups = head.split(':').filter(Boolean)
  const last = tail?.split(':').filter(Boolean) ?? []
  const all = [...groups, ...Array<string>(8 - groups.length - last.length).fill('0'), ...last]
  if (all.slice(0, 6).join(':') === '0:0:0:0:0:ffff') {
    return Buffer.from(
      all
        .slice(6)
        .map((group) => group.padStart(4, '0'))
        .join(''),
      'hex',
    ).join('.')
  }
  return `${all.slice(0, 4).join(':')}::/64`
}

/**
 * Limits requests per address (IPv6: /64 network) and window, by default a minute; counted under `name` across
 * processes.
 */
export function limitPerAddress(app: FastifyInstance, name: string, max: number, windowSeconds?: number): Limit {
  const { limits } = app
  limits.claim(name)
  return (request) => limits.count(`${name} ${limits.networkKey(request.ip)}`, max, windowSeconds)
}

const userKey = (name: string, request: FastifyRequest) => `${name} ${String(request.caller?.userId)}`

/** Limits requests per user and window, by default a minute; counted under `name` across processes. */
export function limitPerUser(app: FastifyInstance, name: string, max: number, windowSeconds?: number): Limit {
  const { limits } = app
  limits.claim(name)
  return (request) => limits.count(userKey(name, request), max, windowSeconds)
}

/**
 * Limits a user's calls per minute, where the outcome decides whether a call counts (`OutcomeLimit`). Counted under
 * `name` across processes.
 */
export function limitOutcomesPerUser(app: FastifyInstance, name: string, maxPerMinute: number): OutcomeLimit {
  const { limits } = app
  const count = limitPerUser(app, name, maxPerMinute)
  return Object.assign(count, {
    async around<T>(request: FastifyRequest, work: () => Promise<T>, counts: (error: unknown) => boolean): Promise<T> {
      const place = await limits.hold(userKey(name, request), maxPerMinute)
      let isCounted = false
      try {
        return await work()
      } catch (error) {
        isCounted = counts(error)
        throw error
      } finally {
        place.release(isCounted)
      }
    },
  })
}

import type { Db } from '../../../platform/database/db.ts'
import { digestCandidate, formatUserPayee, type RiskCandidate } from '../../risk/risk.ts'
import type { SendGuard, SendRoom } from '../../wallets/move.ts'
import type { TransfersContext } from '../context.ts'
import type { Authorization, Candidate } from './decide.ts'
import type { Facts } from './facts.ts'

/**
 * Facts cached by this process, valid for one version of the policies. With them, the statement that moves the money
 * also decides an ordinary send, without earlier reads.
 */
export interface SendMemory {
  version: bigint | undefined
  trustedMs: number
  knownMs: number
  /** Sessions known not to be on a new device. */
  readonly sessions: Set<string>
}

export const emptyMemory = (): SendMemory => ({ version: undefined, trustedMs: 0, knownMs: 0, sessions: new Set() })

type RoomContext = Pick<TransfersContext, 'memory' | 'wallets' | 'lists' | 'now'>

/** Lifetime of a room. */
const roomMs = 86_400_000
const rememberedSessions = 50_000

/** Returns the guard of a send that the sender's room may decide; undefined if its facts must be read. */
export async function guardByRoom(
  { memory, wallets, lists, now }: RoomContext,
  db: Db,
  { transfer, sessionId }: { readonly transfer: Candidate; readonly sessionId: string | undefined },
): Promise<SendGuard | undefined> {
  const { kind, senderId, recipientId, usdMinor, undoSeconds = 0 } = transfer
  const { version, sessions, trustedMs, knownMs } = memory
  if (kind !== 'wallet_send' || recipientId === undefined || undoSeconds > 0) return undefined
  if (version === undefined || sessionId === undefined || !sessions.has(sessionId)) return undefined
  const paidAt = wallets.findPaidAt({ senderId, recipientId })
  const at = now().getTime()
  if (paidAt === undefined || paidAt >= at - trustedMs) return undefined
  if (await lists.hold(db, [senderId, recipientId])) return undefined
  const isQuiet = paidAt <= at - knownMs
  return { mode: 'room', userId: senderId, payee: formatUserPayee(recipientId), usdMinor, version, isQuiet }
}

/** Returns the guard of a send that its facts decide or, with `provenAt`, the sender's confirmation. */
export function guardByFacts(
  { memory, wallets, now }: RoomContext,
  { transfer, facts }: Pick<Authorization, 'transfer' | 'facts'>,
  { candidate, provenAt }: { readonly candidate: RiskCandidate; readonly provenAt?: Date },
): SendGuard {
  const { senderId, recipientId, usdMinor } = transfer
  const { arrivedAt, isOnNewDevice, largeFromUsdMinor, knownMs } = facts
  const at = now()
  remember(memory, candidate, facts)
  if (arrivedAt && recipientId !== undefined) wallets.cacheArrival({ senderId, recipientId, atMs: arrivedAt.getTime() })
  const isKnown = arrivedAt !== undefined && arrivedAt.getTime() <= at.getTime() - knownMs
  const guard = {
    userId: senderId,
    payee: formatUserPayee(recipientId ?? senderId),
    usdMinor,
    isQuiet: isKnown && largeFromUsdMinor !== undefined && usdMinor < largeFromUsdMinor,
    digest: digestCandidate(candidate),
    room: computeSendRoom(facts, usdMinor, at),
  }
  return provenAt
    ? { ...guard, mode: 'prove', provenAt }
    : { ...guard, mode: 'decide', isTrusted: arrivedAt !== undefined, isNewDevice: isOnNewDevice }
}

function remember(memory: SendMemory, { sessionId }: RiskCandidate, facts: Facts): void {
  const { version, trustedMs, knownMs, isOnNewDevice } = facts
  if (memory.version !== version || memory.sessions.size >= rememberedSessions) memory.sessions.clear()
  memory.version = version
  memory.trustedMs = trustedMs
  memory.knownMs = knownMs
  if (sessionId !== undefined && !isOnNewDevice) memory.sessions.add(sessionId)
}

/** Room for the sender's next sends after this one; undefined if their facts must be read. */
function computeSendRoom(facts: Facts, usdMinor: bigint, at: Date): SendRoom | undefined {
  const { generation, version, isLowRisk, largeFromUsdMinor, usesStreetMode, hasNewFactor, hasOpenWarning } = facts
  if (!isLowRisk || usesStreetMode || hasNewFactor || hasOpenWarning) return undefined
  // Concurrent large sends do not see each other, so none leaves a room.
  if (largeFromUsdMinor === undefined || usdMinor >= largeFromUsdMinor) return undefined
  const until = new Date(at.getTime() + roomMs)
  return { generation, until, paymentUsdMinor: largeFromUsdMinor - 1n, version }
}

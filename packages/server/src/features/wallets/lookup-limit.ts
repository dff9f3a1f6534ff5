import type { RefusalCode } from '@tern/contract/protocol/refusal'
import type { FastifyRequest } from 'fastify'
import type { LimitOfOutcomes } from '../../platform/http/rate-limits.ts'
import { Refusal } from '../../platform/refuse.ts'
import type { Payees } from './payees.ts'

/** What tells of a number whether it is somebody's, of somebody what their wallet holds, or who they are. */
const telling: ReadonlySet<RefusalCode> = new Set(['recipient_not_found', 'currency_not_held', 'step_up_required'])

const tellsOfSomebody = (error: unknown): boolean => error instanceof Refusal && telling.has(error.code)

/**
 * Does `work`, which looks up `otherId` for the caller. It counts among the caller's lookups when it ends with a refusal
 * that tells of that person; a send or quote that goes through counts as nothing. Refuses `rate_limited` before anything
 * is looked up when the caller has looked up too many. Somebody the caller has paid before they know: that counts as nothing.
 */
export type LookUp = <T>(request: FastifyRequest, otherId: bigint, work: () => Promise<T>) => Promise<T>

export const createLookUp =
  ({ limit, hasPaid, now }: { limit: LimitOfOutcomes; now: () => Date } & Pick<Payees, 'hasPaid'>): LookUp =>
  async (request, otherId, work) => {
    const callerId = request.caller?.userId
    // Mostly known from memory, so that whoever is paid again and again costs no question to the database.
    if (callerId !== undefined && (await hasPaid(callerId, otherId, now()))) return work()
    return limit.around(request, work, tellsOfSomebody)
  }

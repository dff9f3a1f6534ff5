// The transparency log: whether it keeps up with the books, and what its witnesses answer.

import { fault, ok, type SetupFinding, warning } from '@tern/providers/setup'
import {
  type LogLag,
  readLogLag,
  readWitnessStates,
  type WitnessState,
} from '../../features/transparency/transparency.ts'
import { type Check, type DoctorContext, readProductTime } from './check.ts'
import { countText, formatDuration } from './durations.ts'

const lateMs = 2 * 60_000
const stuckMs = 15 * 60_000
/** A witness that answers cosigns at least every ten minutes. */
const longestSilenceMs = 30 * 60_000

/** Judges how far the log is behind the books at a time. */
export function judgeLag({ postings, oldestAt }: LogLag, now: Date): SetupFinding {
  if (!oldestAt) return ok('Every posting is in the log.')
  const ageMs = Math.max(0, now.getTime() - oldestAt.getTime())
  const found = `${countText(postings, 'posting')} not in the log yet, the oldest for ${formatDuration(ageMs)}.`
  const todo = 'Look at the check of the worker, and in its log for "the transparency log was not extended".'
  if (ageMs > stuckMs) return fault(found, todo)
  return ageMs > lateMs ? warning(found, todo) : ok(found)
}

async function checkLag({ db, config, providers, machine }: DoctorContext): Promise<readonly SetupFinding[]> {
  return [judgeLag(await readLogLag(db), readProductTime({ config, providers, machine }))]
}

const refusalTodos: Readonly<Record<string, string>> = {
  unknown_log: 'Give its operator the key at /log/vkey, and check the address in TRANSPARENCY_WITNESSES.',
  forbidden: 'Compare the key at /log/vkey with the one that its operator has entered.',
  wrong_key: "Correct the witness's key in TRANSPARENCY_WITNESSES.",
}

function judgeWitness({ name, cosignedAt, failure, failedAt, isRefused }: WitnessState, now: Date): SetupFinding {
  const tried = `Reads the last answer of the witness ${name}.`
  if (isRefused) {
    const known = refusalTodos[failure ?? '']
    const todo = known
      ? `${known} Then run \`npx tern witnesses --retry ${name}\`.`
      : 'Stop the worker: the log was restored from an older state or changed. Read docs/transparency.md.'
    return fault(`It refuses the log (${failure}).`, todo, tried)
  }
  const silenceMs = cosignedAt && now.getTime() - cosignedAt.getTime()
  if (silenceMs !== undefined && silenceMs <= longestSilenceMs) {
    return ok(`It cosigned ${formatDuration(Math.max(0, silenceMs))} ago.`, tried)
  }
  const last = silenceMs === undefined ? 'It has never cosigned' : `It cosigned ${formatDuration(silenceMs)} ago`
  const reason = failedAt ? `, and fails since ${failedAt.toISOString()} (${failure})` : ''
  return warning(`${last}${reason}.`, 'Let this machine reach it, and ask its operator.', tried)
}

async function checkWitnesses({ db, config, machine }: DoctorContext): Promise<readonly SetupFinding[]> {
  const states = await readWitnessStates(db, config.transparency.witnesses)
  if (states.length > 0) return states.map((state) => judgeWitness(state, machine.now()))
  const todo = 'Set TRANSPARENCY_WITNESSES to witnesses that others run.'
  return [warning("No witness is configured: proofs rest on the log's own signature.", todo)]
}

export const logChecks: readonly Check[] = [
  { name: 'log.appending', tried: 'Counts postings that are not in the transparency log.', run: checkLag },
  { name: 'log.witnesses', tried: 'Reads the last answer of each witness.', run: checkWitnesses },
]

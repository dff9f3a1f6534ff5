// One request to a witness (c2sp.org/tlog-witness, call add-checkpoint), and what its answer means.

import { setTimeout as delay } from 'node:timers/promises'
import type { Checkpoint } from '@tern/transparency/checkpoint'
import { FormatError } from '@tern/transparency/format-error'
import type { VerifierKey } from '@tern/transparency/note-keys'
import { formatSignatureLine } from '@tern/transparency/signed-note'
import { formatWitnessRequest, parseCosignature, parseWitnessSize } from '@tern/transparency/witness-request'

/** Longest wait for an answer; below the time for which a worker claims a witness. */
const longestWaitMs = 10_000
/** Longest answer in bytes; that of a witness with several keys is far below it. */
const longestAnswer = 64 * 1024

/** Witness of the settings. */
export interface Witness {
  readonly key: VerifierKey
  /** Submission prefix, without a trailing slash. */
  readonly address: string
}

/**
 * `refused`: the witness will not cosign this log, or signs with another key; asking again changes nothing. `failed`: no
 * usable answer; whether the witness has cosigned is unknown.
 */
export type WitnessOutcome =
  | { readonly state: 'cosigned'; readonly line: string; /** Seconds since 1970. */ readonly time: number }
  | { readonly state: 'other_size'; readonly size: number }
  | { readonly state: 'refused'; readonly failure: 'forbidden' | 'unknown_log' | 'fork' | 'wrong_key' }
  | { readonly state: 'failed'; readonly failure: string }

interface WitnessCall {
  readonly oldSize: number
  readonly proof: readonly Uint8Array[]
  readonly checkpoint: Checkpoint
}

/** Asks a witness to cosign a checkpoint, once. */
export async function sendCheckpoint({ key, address }: Witness, call: WitnessCall): Promise<WitnessOutcome> {
  const answer = await post(`${address}/add-checkpoint`, formatWitnessRequest(call))
  if (answer === undefined) return { state: 'failed', failure: 'unreachable' }
  try {
    return judgeAnswer(answer, { text: call.checkpoint.text, key })
  } catch (error) {
    if (error instanceof FormatError) return { state: 'failed', failure: 'malformed_answer' }
    throw error
  }
}

interface Answer {
  readonly status: number
  readonly text: string
}

const refusals = { 403: 'forbidden', 404: 'unknown_log', 422: 'fork' } as const

function judgeAnswer({ status, text }: Answer, expected: Parameters<typeof parseCosignature>[1]): WitnessOutcome {
  if (status === 200) return readCosignature(text, expected)
  if (status === 409) return { state: 'other_size', size: parseWitnessSize(text) }
  if (status === 403 || status === 404 || status === 422) return { state: 'refused', failure: refusals[status] }
  return { state: 'failed', failure: `status_${status}` }
}

function readCosignature(text: string, expected: Parameters<typeof parseCosignature>[1]): WitnessOutcome {
  try {
    const cosignature = parseCosignature(text, expected)
    return { state: 'cosigned', line: formatSignatureLine(cosignature), time: cosignature.time }
  } catch (error) {
    if (error instanceof FormatError) return { state: 'refused', failure: 'wrong_key' }
    throw error
  }
}

/** Posts a text; undefined without a complete answer in time. Redirects are not followed. */
async function post(url: string, body: string): Promise<Answer | undefined> {
  const signal = AbortSignal.timeout(longestWaitMs)
  try {
    return await Promise.race([readResponse(url, body, signal), rejectAfter(longestWaitMs, signal)])
  } catch {
    return undefined
  }
}

/** Rejects after the time limit, even while the witness is still sending. */
async function rejectAfter(ms: number, signal: AbortSignal): Promise<never> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => {})
  throw new Error('timeout')
}

async function readResponse(url: string, body: string, signal: AbortSignal): Promise<Answer> {
  const response = await fetch(url, { method: 'POST', body, redirect: 'error', signal })
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.length
    // Leaving the loop cancels the rest.
    if (length > longestAnswer) throw new Error('the answer is too long')
    parts.push(part)
  }
  return { status: response.status, text: new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)) }
}

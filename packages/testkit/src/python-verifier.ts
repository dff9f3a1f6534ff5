// Runs the second verifier of receipts, transparency/verifier/verify_receipt.py, on many cases in one process.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { formatVerifierKey } from '@tern/transparency/note-keys'
import type { Policy } from '@tern/transparency/policy'
import type { ReceiptVerdict } from '@tern/transparency/verify-receipt'

export const verifierPath = fileURLToPath(new URL('../../transparency/verifier/verify_receipt.py', import.meta.url))

export const hasPython = spawnSync('python3', ['--version']).status === 0

/** Case of a receipt: the bytes of a proof in either form. */
export const receiptCase = (bytes: Uint8Array, { logs, witnesses, quorum }: Policy) => ({
  kind: 'receipt',
  bytes: Buffer.from(bytes).toString('base64'),
  logs: logs.map((key) => formatVerifierKey(key)),
  witnesses: witnesses.map((key) => formatVerifierKey(key)),
  quorum,
})

/** Returns the verdict of the second verifier on each case, in order. */
export async function runPythonVerifier(cases: readonly object[]): Promise<unknown[]> {
  const child = spawn('python3', [verifierPath, '--batch'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const output = text(child.stdout)
  child.stdin.end(cases.map((each) => `${JSON.stringify(each)}\n`).join(''))
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error(`verify_receipt.py ended with ${code}`)
  return (await output)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
}

/** Writes a verdict as the second verifier does, without the wording of details. */
export function toComparable(verdict: ReceiptVerdict): unknown {
  if (verdict.state === 'invalid') return { state: 'invalid', reason: verdict.reason }
  const { facts, origin, index, size, witnesses } = verdict
  return {
    state: 'valid',
    facts: JSON.parse(
      JSON.stringify({ ...facts, fee: facts.fee ?? null, delivered: facts.delivered ?? null }, (_, value: unknown) =>
        typeof value === 'bigint' ? value.toString() : value,
      ),
    ) as unknown,
    origin,
    index,
    size,
    witnesses,
  }
}

export function withoutDetail(verdict: unknown): unknown {
  const { detail: _, ...rest } = verdict as { detail?: string }
  return rest
}

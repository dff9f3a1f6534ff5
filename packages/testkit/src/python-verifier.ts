// Runs the second verifier of receipts, transparency/verifier/verify_receipt.py, on many cases in one process.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { formatVerifierKey } from '@tern/transparency/note-keys'
import type { BalanceVerdict, ExpectedBalances } from '@tern/transparency/liabilities/verify-balance'
import type { Policy } from '@tern/transparency/policy'
import type { ReceiptVerdict } from '@tern/transparency/verify-receipt'

const findVerifier = (name: string) => fileURLToPath(new URL(`../../transparency/verifier/${name}`, import.meta.url))

export const verifierPath = findVerifier('verify_receipt.py')
export const balanceVerifierPath = findVerifier('verify_balance.py')
export const packVerifierPath = findVerifier('sum_resolution_pack.py')

export const hasPython = spawnSync('python3', ['--version']).status === 0

/** Case of a receipt: the bytes of a proof in either form. */
export const receiptCase = (bytes: Uint8Array, { logs, witnesses, quorum }: Policy) => ({
  kind: 'receipt',
  bytes: Buffer.from(bytes).toString('base64'),
  logs: logs.map((key) => formatVerifierKey(key)),
  witnesses: witnesses.map((key) => formatVerifierKey(key)),
  quorum,
})

/** Case of a proof of balances: its bytes, and the holder and balances that its reader knows. */
export const balanceCase = (bytes: Uint8Array, policy: Policy, expected?: ExpectedBalances) => ({
  ...receiptCase(bytes, policy),
  ...(expected === undefined ? {} : { expected: toPlain(expected) }),
})

const toPlain = (value: object): unknown =>
  JSON.parse(JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? each.toString() : each)))

/** Returns the verdict of a second verifier on each case, in order. */
export async function runPythonVerifier(cases: readonly object[], verifier = verifierPath): Promise<unknown[]> {
  const child = spawn('python3', [verifier, '--batch'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const output = text(child.stdout)
  child.stdin.end(cases.map((each) => `${JSON.stringify(each)}\n`).join(''))
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error(`${verifier} ended with ${code}`)
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
    facts: toPlain({ ...facts, fee: facts.fee ?? null, delivered: facts.delivered ?? null }),
    origin,
    index,
    size,
    witnesses,
  }
}

/** Writes a verdict on balances as the second verifier does, without the wording of details. */
export const toComparableBalance = (verdict: BalanceVerdict): unknown =>
  verdict.state === 'invalid' ? { state: 'invalid', reason: verdict.reason } : toPlain(verdict)

export function withoutDetail(verdict: unknown): unknown {
  const { detail: _, ...rest } = verdict as { detail?: string }
  return rest
}

// Proofs of balances, and the known attacks on trees of sums. Both verifiers, in TypeScript and in Python, agree.

import { spawnSync } from 'node:child_process'
import {
  balanceCase,
  balanceVerifierPath,
  hasPython,
  runPythonVerifier,
  toComparableBalance,
  withoutDetail,
} from '@tern/testkit/python-verifier'
import { expect, test } from 'vitest'
import {
  buildSampleTree,
  nameHolder,
  proveSample,
  sampleBalances,
  sampleDay,
  sampleHolders,
} from '../../test/sample-liabilities.ts'
import { derive, logKey, samplePolicy } from '../../test/sample-proof.ts'
import { concat, decodeUtf8, encodeUtf8, toBase64 } from '../bytes.ts'
import { FormatError } from '../format-error.ts'
import { hashBytes } from '../merkle.ts'
import { formatVerifierKey, toVerifierKey } from '../note-keys.ts'
import { formatLiabilitiesLeaf, parseLeaf } from '../posting-leaf.ts'
import { formatBalanceProof, parseBalanceProof } from './balance-proof.ts'
import {
  buildLeaf,
  climb,
  commitHolder,
  formatNode,
  joinAll,
  joinNodes,
  listSiblings,
  type SumNode,
} from './sum-tree.ts'
import { addSums, formatSums, readSums, type Sums, toSums } from './sums.ts'
import { type BalanceVerdict, type ExpectedBalances, formatLoggedBalance, verifyBalanceText } from './verify-balance.ts'

const usd = (minor: bigint) => ({ currency: 'USD', scale: 2, minor })
const tree = buildSampleTree(sampleHolders)
const ana = { holder: nameHolder(3), balances: sampleBalances(3) }
const proof = proveSample(tree, ana.holder)
const file = formatLoggedBalance(proof)

function verifyBytes(bytes: Uint8Array, expected?: ExpectedBalances): BalanceVerdict {
  try {
    return verifyBalanceText(decodeUtf8(bytes), samplePolicy, expected)
  } catch (error) {
    if (error instanceof FormatError) return { state: 'invalid', reason: 'malformed', detail: error.message }
    throw error
  }
}

/** Expects one verdict of both verifiers on every input, and returns the verdicts. */
async function compare(inputs: readonly Uint8Array[], expected?: ExpectedBalances): Promise<BalanceVerdict[]> {
  const verdicts = inputs.map((bytes) => verifyBytes(bytes, expected))
  if (!hasPython) return verdicts
  const cases = inputs.map((bytes) => balanceCase(bytes, samplePolicy, expected))
  const answers = await runPythonVerifier(cases, balanceVerifierPath)
  expect(answers.map((answer) => withoutDetail(answer))).toEqual(
    verdicts.map((verdict) => toComparableBalance(verdict)),
  )
  return verdicts
}

const findReason = (verdict: BalanceVerdict | undefined) =>
  verdict?.state === 'invalid' ? verdict.reason : verdict?.state

test('the proof of a balance is valid for both verifiers, and states what is owed to all', async () => {
  const [verdict] = await compare([encodeUtf8(file)], ana)
  expect(verdict).toMatchObject({
    state: 'valid',
    day: sampleDay,
    ...ana,
    total: [
      { currency: 'ETH', scale: 18, minor: 10n ** 21n },
      { currency: 'EUR', scale: 2, minor: 14n },
      { currency: 'USD', scale: 2, minor: 15_075n },
    ],
    origin: 'tern.example/log',
    index: 6,
    size: 10,
  })
})

test('every holder of a tree finds their own balance, and only their own', async () => {
  for (const [holder, balances] of sampleHolders) {
    const bytes = encodeUtf8(formatLoggedBalance(proveSample(tree, holder)))
    expect(verifyBytes(bytes, { holder, balances }).state).toBe('valid')
    expect(findReason(verifyBytes(bytes, ana))).toBe(holder === ana.holder ? 'valid' : 'other_holder')
  }
  const lowered = toSums(ana.balances.map((amount) => ({ ...amount, minor: amount.minor - 1n })))
  const [verdict] = await compare([encodeUtf8(file)], { ...ana, balances: lowered })
  expect(findReason(verdict)).toBe('other_balances')
})

test('a file with any character changed or cut off is invalid, for the same reason in both verifiers', async () => {
  const bytes = encodeUtf8(file)
  const changed = Array.from(bytes, (byte, place) => bytes.with(place, byte ^ 1))
  const cut = changed.map((_, length) => bytes.slice(0, length))
  expect([...changed, ...cut].filter((input) => verifyBytes(input, ana).state === 'valid')).toEqual([])
  // The second verifier is slower, and reads every byte of the disclosure in the next test.
  await compare([...changed, ...cut].filter((_, place) => place % 11 === 0))
})

test('every byte that a proof discloses, changed, makes it invalid in both verifiers', async () => {
  const disclosed = formatBalanceProof(proof.proof)
  const replace = (extra: Uint8Array) => encodeUtf8(file.replace(/^extra .*$/m, `extra ${toBase64(extra)}`))
  const inputs = Array.from(disclosed, (byte, place) => replace(disclosed.with(place, byte ^ (1 << (place % 8)))))
  const verdicts = await compare(inputs)
  expect(new Set(verdicts.map((verdict) => findReason(verdict)))).toEqual(new Set(['malformed', 'not_included']))
})

test('a balance that was left out or lowered does not lead to the root in the log', async () => {
  const others = new Map([...sampleHolders].filter(([holder]) => holder !== ana.holder))
  const lowered = new Map([...others, [ana.holder, toSums([usd(1n)])]])
  const without = buildSampleTree(others)
  const low = buildSampleTree(lowered)
  expect(() => proveSample(without, ana.holder)).toThrow('does not count')
  const shown = proveSample(low, ana.holder)
  const [honest, forged, elsewhere] = await compare(
    [
      encodeUtf8(formatLoggedBalance(shown)),
      encodeUtf8(formatLoggedBalance({ ...shown, proof: { ...shown.proof, balances: ana.balances } })),
      encodeUtf8(formatLoggedBalance({ ...proveSample(without, nameHolder(1)), proof: proof.proof })),
    ],
    ana,
  )
  expect([honest, forged, elsewhere].map((verdict) => findReason(verdict))).toEqual([
    'other_balances',
    'not_included',
    'not_included',
  ])
})

test('the leaf of one holder cannot be shown to another with equal balances', () => {
  const [first, second] = [nameHolder(7), nameHolder(8)]
  const balances = toSums([usd(500n)])
  const shared = proveSample(buildSampleTree(new Map([[first, balances]])), first)
  const forOther = { ...shared, proof: { ...shared.proof, holder: second } }
  expect(verifyBytes(encodeUtf8(formatLoggedBalance(shared)), { holder: first, balances }).state).toBe('valid')
  expect(findReason(verifyBytes(encodeUtf8(formatLoggedBalance(forOther)), { holder: second, balances }))).toBe(
    'not_included',
  )
})

test('a node whose hash binds only the sum of its children is refused: both children’s sums are hashed', () => {
  // With hash(sum of both ‖ hashes), the operator could show each child a larger sibling and a smaller total.
  const [left, right] = [leaf('left', 700n), leaf('right', 900n)]
  const claimed: SumNode = { hash: joinNodes(left, right).hash, sums: toSums([usd(900n)]) }
  for (const sibling of [toSums([usd(200n)]), toSums([usd(899n)]), []]) {
    const forged = joinNodes(left, { ...right, sums: sibling })
    expect(forged.hash).not.toEqual(joinNodes(left, right).hash)
    expect(forged).not.toEqual(claimed)
  }
  const exchanged = joinNodes({ ...left, sums: right.sums }, { ...right, sums: left.sums })
  expect(exchanged.sums).toEqual(joinNodes(left, right).sums)
  expect(exchanged.hash).not.toEqual(joinNodes(left, right).hash)
})

function leaf(name: string, minor: bigint): SumNode {
  return buildLeaf(commitHolder({ holder: name, salt: derive(name) }), toSums([usd(minor)]))
}

const readFrom = (bytes: Uint8Array): Sums => readSums({ bytes, at: 0 })

test('sums that are negative, zero, repeated or out of order can be neither written nor read', async () => {
  expect(() => toSums([usd(-1n)])).toThrow('out of range')
  expect(() => toSums([usd(1n), usd(2n)])).toThrow('out of range')
  expect(() => toSums([usd(10n ** 40n)])).toThrow('out of range')
  expect(() => addSums([usd(1n)], [{ ...usd(1n), scale: 3 }])).toThrow('decimals')
  const [one, other] = [formatSums([usd(5n)]), formatSums([{ ...usd(5n), currency: 'EUR' }])]
  const join = (...parts: Uint8Array[]) => concat(Uint8Array.of(parts.length), ...parts.map((part) => part.slice(1)))
  expect(readFrom(join(other, one))).toHaveLength(2)
  const negative = encodeUtf8('\u0001\u0000\u0003USD\u0002\u0000\u0002-5')
  const zero = encodeUtf8('\u0001\u0000\u0003USD\u0002\u0000\u00010')
  const wrong = [join(one, other), join(one, one), negative, zero]
  for (const bytes of wrong) expect(() => readFrom(bytes)).toThrow(FormatError)
  // A negative sibling would lower the total without changing the holder's own balance.
  const [sibling] = proof.proof.siblings
  const genuine = formatBalanceProof(proof.proof)
  const place = findBytes(genuine, formatNode(sibling ?? leaf('', 1n))) + 32
  const length = formatSums(sibling?.sums ?? []).length
  const inputs = wrong.map((sums) => {
    const extra = concat(genuine.slice(0, place), sums, genuine.slice(place + length))
    return encodeUtf8(file.replace(/^extra .*$/m, `extra ${toBase64(extra)}`))
  })
  expect((await compare(inputs, ana)).map((verdict) => findReason(verdict))).toEqual(wrong.map(() => 'malformed'))
})

function findBytes(bytes: Uint8Array, part: Uint8Array): number {
  const place = Buffer.from(bytes).indexOf(Buffer.from(part))
  if (place === -1) throw new Error('bytes are not there')
  return place
}

test('a proof cannot be shortened: neither an inner node nor a shallower tree passes as the balance of a holder', () => {
  const shallow = { ...proof.proof, siblings: proof.proof.siblings.slice(1), position: proof.proof.position >> 1 }
  expect(findReason(verifyBytes(encodeUtf8(formatLoggedBalance({ ...proof, proof: shallow }))))).toBe('not_included')
  const inner = joinAll(tree.nodes.slice(0, 2))
  expect(buildLeaf(hashBytes(formatNode(inner)), inner.sums).hash).not.toEqual(inner.hash)
  expect(() => parseBalanceProof(formatBalanceProof({ ...proof.proof, position: 8 }))).toThrow('outside the tree')
})

test('siblings lead from every place of trees of up to 64 leaves to the root', () => {
  for (const depth of [0, 1, 2, 6]) {
    const nodes = Array.from({ length: 2 ** depth }, (_, place) => leaf(`leaf ${place}`, BigInt(place + 1)))
    for (const [position, node] of nodes.entries())
      expect(climb(node, { position, siblings: listSiblings(nodes, position) })).toEqual(joinAll(nodes))
  }
})

test('the entry of a root in the log names its day', () => {
  const digest = derive('root')
  expect(parseLeaf(formatLiabilitiesLeaf({ day: sampleDay, digest }))).toEqual({
    kind: 'liabilities',
    day: sampleDay,
    digest,
  })
  expect(() => formatLiabilitiesLeaf({ day: '2026-02-30', digest })).toThrow('no date')
})

test.runIf(hasPython)('the command prints what is counted, and names a balance that differs', () => {
  const run = (...args: string[]) =>
    spawnSync('python3', [balanceVerifierPath, '--log', formatVerifierKey(toVerifierKey(logKey)), ...args, '-'], {
      input: file,
      encoding: 'utf8',
    })
  const own = ['--holder', ana.holder, '--balance', '30.15 USD']
  const valid = run(...own, '--balance', '1000.000000000000000000 ETH')
  expect(valid.stdout).toMatch(/^VALID/)
  for (const fact of ['30.15 USD', '150.75 USD', '0.14 EUR', ana.holder, sampleDay])
    expect(valid.stdout).toContain(fact)
  expect(valid.status).toBe(0)
  const other = run(...own)
  expect(other).toMatchObject({ status: 1, stdout: 'INVALID: the proof counts other balances\n' })
  expect(run('--balance', '1 USD').status).toBe(2)
})

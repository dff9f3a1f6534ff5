// Both verifiers, in TypeScript and in Python, give the same verdict with the same reason.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildNaiveConsistency, buildNaiveInclusion, createLeafHashes } from '../test/naive-tree.ts'
import {
  hasPython,
  receiptCase,
  runPythonVerifier,
  toComparable,
  verifierPath,
  withoutDetail,
} from '@tern/testkit/python-verifier'
import { createSampleProof, derive, deriveUuid, logKey, samplePolicy, witnessKeys } from '../test/sample-proof.ts'
import { decodeUtf8, encodeUtf8, fromBase32, fromBase64, toBase32, toBase64 } from './bytes.ts'
import { formatLogProof } from './proof-file.ts'
import { FormatError } from './format-error.ts'
import { computeRoot, verifyConsistency, verifyInclusion } from './merkle.ts'
import { createSigningKey, formatVerifierKey, toVerifierKey } from './note-keys.ts'
import type { Policy } from './policy.ts'
import { formatCompactProof, formatDisclosure, formatReceiptProof } from './receipt-proof.ts'
import { type ReceiptVerdict, verifyReceiptText } from './verify-receipt.ts'
import type { ViewFacts } from './view-facts.ts'

const proof = createSampleProof()
const forms = { text: encodeUtf8(formatReceiptProof(proof)), compact: encodeUtf8(formatCompactProof(proof)) }

function verifyBytes(bytes: Uint8Array, policy: Policy): ReceiptVerdict {
  try {
    return verifyReceiptText(decodeUtf8(bytes), policy)
  } catch (error) {
    if (error instanceof FormatError) return { state: 'invalid', reason: 'malformed', detail: error.message }
    throw error
  }
}

/** Expects one verdict of both verifiers on every input, and returns the verdicts. */
async function compare(inputs: readonly Uint8Array[], policy: Policy = samplePolicy): Promise<ReceiptVerdict[]> {
  const verdicts = inputs.map((bytes) => verifyBytes(bytes, policy))
  const answers = hasPython ? await runPythonVerifier(inputs.map((bytes) => receiptCase(bytes, policy))) : []
  for (const [place, answer] of answers.entries()) {
    const verdict = verdicts[place]
    if (verdict === undefined) throw new Error('an answer too many')
    expect(withoutDetail(answer), new TextDecoder().decode(inputs[place])).toEqual(toComparable(verdict))
  }
  if (hasPython) expect(answers).toHaveLength(inputs.length)
  return verdicts
}

/** Flips the lowest bit of each character in turn, which turns most into another that the form allows. */
const changeEach = (original: Uint8Array): Uint8Array[] =>
  Array.from(original, (byte, place) => original.with(place, byte ^ 1))

test('python3 is present where CI=true', () => expect(hasPython || process.env['CI'] !== 'true').toBe(true))

test('a .tlog-proof file with any character changed is invalid', async () => {
  const [verdict, ...verdicts] = await compare([forms.text, ...changeEach(forms.text)])
  expect(verdict?.state).toBe('valid')
  expect(verdicts.filter(({ state }) => state === 'valid')).toEqual([])
})

test('the text of a QR code with any character changed is invalid', async () => {
  const inputs = changeEach(forms.compact)
  expect(inputs.filter((input) => verifyBytes(input, samplePolicy).state === 'valid')).toEqual([])
  // The second verifier is slower, and reads the same bytes in the next test.
  const [verdict] = await compare([forms.compact, ...inputs.filter((_, place) => place % 10 === 0)])
  expect(verdict?.state).toBe('valid')
})

test('every byte that the compact form encodes, flipped, makes it invalid and names the fault', async () => {
  const bytes = fromBase32(formatCompactProof(proof))
  const inputs = Array.from(bytes, (byte, place) => encodeUtf8(toBase32(bytes.with(place, byte ^ (1 << (place % 8))))))
  const verdicts = await compare(inputs)
  expect(verdicts.filter(({ state }) => state === 'valid')).toEqual([])
  const reasons = new Set(verdicts.map((verdict) => verdict.state === 'invalid' && verdict.reason))
  expect(reasons).toEqual(
    new Set(['log_signature', 'malformed', 'not_included', 'too_few_witnesses', 'unknown_log', 'witness_signature']),
  )
})

test('truncated proofs are invalid', async () => {
  for (const original of Object.values(forms)) {
    const inputs = Array.from({ length: original.length }, (_, length) => original.slice(0, length))
    expect(inputs.filter((input) => verifyBytes(input, samplePolicy).state === 'valid')).toEqual([])
    await compare(inputs.filter((_, length) => length % 5 === 0))
  }
})

test('lines that are left out, repeated or exchanged: both verifiers agree, and only signatures may repeat or swap', async () => {
  const lines = formatReceiptProof(proof).split('\n').slice(0, -1)
  const join = (changed: readonly string[]) => encodeUtf8(changed.map((line) => `${line}\n`).join(''))
  const inputs: { name: string; bytes: Uint8Array }[] = []
  for (const place of lines.keys()) {
    inputs.push({ name: `without ${place}`, bytes: join(lines.toSpliced(place, 1)) })
    inputs.push({ name: `twice ${place}`, bytes: join(lines.toSpliced(place, 0, lines[place] ?? '')) })
    for (let other = place + 1; other < lines.length; other += 1) {
      if (lines[place] === lines[other]) continue
      const swapped = lines.with(place, lines[other] ?? '').with(other, lines[place] ?? '')
      inputs.push({ name: `swapped ${place} ${other}`, bytes: join(swapped) })
    }
  }
  const verdicts = await compare(inputs.map(({ bytes }) => bytes))
  const [first, second, third] = [lines.length - 3, lines.length - 2, lines.length - 1]
  expect(inputs.filter((_, place) => verdicts[place]?.state === 'valid').map(({ name }) => name)).toEqual([
    `twice ${first}`,
    `swapped ${first} ${second}`,
    `swapped ${first} ${third}`,
    `twice ${second}`,
    `swapped ${second} ${third}`,
    `twice ${third}`,
  ])
})

test('signatures of unknown keys are ignored, those of known keys must verify', async () => {
  const text = formatReceiptProof(proof)
  const stranger = '— stranger.example AAAAAQID\n'
  const [valid, unknown, foreign] = await compare([
    encodeUtf8(`${text}${stranger}`),
    encodeUtf8(text.replaceAll('tern.example', 'other.example')),
    encodeUtf8(`${text}${text.split('\n').at(-2)?.replace(/.{8}$/, 'AAAAAAA=')}\n`),
  ])
  expect(valid?.state).toBe('valid')
  expect(unknown).toEqual({ state: 'invalid', reason: 'unknown_log' })
  expect(foreign).toEqual({ state: 'invalid', reason: 'witness_signature', witness: 'witness.example/w2' })
})

test('a proof needs as many witnesses as the policy', async () => {
  const third = toVerifierKey(createSigningKey({ name: 'witness.example/w3', type: 4, seed: derive('w3') }))
  const witnesses = [...samplePolicy.witnesses, third]
  for (const quorum of [0, 1, 2, 3]) {
    const [verdict] = await compare([forms.text], { ...samplePolicy, witnesses, quorum })
    expect(verdict?.state).toBe(quorum === 3 ? 'invalid' : 'valid')
    if (quorum === 3) expect(verdict).toEqual({ state: 'invalid', reason: 'too_few_witnesses', found: 2, needed: 3 })
  }
})

test('a witness that signed with the log’s rules, or a log that cosigned, counts as nothing', async () => {
  const logAsWitness = { ...toVerifierKey(logKey), type: 4 } as const
  expect(() => verifyBytes(forms.text, { ...samplePolicy, witnesses: [logAsWitness], quorum: 1 })).toThrow('twice')
  const [first] = samplePolicy.witnesses
  if (first === undefined) throw new Error('no witness')
  expect(() => verifyBytes(forms.text, { ...samplePolicy, witnesses: [first, first] })).toThrow('twice')
  expect(() => verifyBytes(forms.text, { ...samplePolicy, quorum: 3 })).toThrow('quorum')
})

const amounts = fc.record({
  currency: fc.constantFrom('USD', 'EUR', 'USDT', 'BTC', 'JPY'),
  scale: fc.integer({ min: 0, max: 18 }),
  minor: fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }),
})
const optionalAmount = fc.option(amounts, { nil: undefined })
const names = fc.string({ unit: 'grapheme', maxLength: 40 })
const factsArbitrary: fc.Arbitrary<ViewFacts> = fc
  .record({
    postingId: fc.uuid(),
    reference: fc.uuid(),
    kind: fc.constantFrom('send', 'deposit', 'exchange', 'refund'),
    time: fc.bigInt({ min: 0n, max: (1n << 63n) - 1n }),
    changes: fc.array(fc.record({ part: fc.constantFrom('available', 'on_hold'), amount: amounts }), { maxLength: 6 }),
    fee: optionalAmount,
    delivered: optionalAmount,
    fromName: names,
    toName: names,
  })
  .map(({ changes, fee, delivered, ...facts }) =>
    Object.assign(
      facts,
      { changes: changes.map(({ part, amount }) => Object.assign({ part }, amount)) },
      fee && { fee },
      delivered && { delivered },
    ),
  )

test('100 random proofs are valid for both verifiers, in both forms, with the same facts', async () => {
  const places = fc
    .integer({ min: 1, max: 700 })
    .chain((size) => fc.record({ size: fc.constant(size), index: fc.integer({ min: 0, max: size - 1 }) }))
  const samples = fc.sample(
    fc.record({ facts: factsArbitrary, place: places, otherViews: fc.integer({ min: 0, max: 3 }) }),
    { numRuns: 50, seed: 20_261_130 },
  )
  const inputs = samples.flatMap(({ facts, place, otherViews }, number) => {
    const random = createSampleProof({ ...place, facts, otherViews, position: 1 + (number % (otherViews + 1)) })
    return [encodeUtf8(formatReceiptProof(random)), encodeUtf8(formatCompactProof(random))]
  })
  const verdicts = await compare(inputs)
  expect(verdicts.filter(({ state }) => state === 'valid')).toHaveLength(100)
  expect(verdicts.filter((_, place) => place % 2 === 0)).toEqual(verdicts.filter((_, place) => place % 2 === 1))
})

test('facts in another order or spelling are refused by both verifiers', async () => {
  const replace = (change: (view: Uint8Array) => Uint8Array) => {
    const disclosure = { ...proof.disclosure, view: change(proof.disclosure.view) }
    const { disclosure: _, ...rest } = proof
    return encodeUtf8(formatLogProof({ ...rest, extra: formatDisclosure(disclosure) }))
  }
  const asText = (view: Uint8Array) => Array.from(view, (byte) => String.fromCharCode(byte)).join('')
  const asBytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))
  const edit = (from: string, to: string) => replace((view) => asBytes(asText(view).replace(from, to)))
  const exchangeChanges = (view: Uint8Array) => {
    const start = asText(view).indexOf('\u0000\u0000\u0003USD')
    const middle = asText(view).indexOf('\u0001\u0000\u0003USD')
    const end = middle + 10
    return Uint8Array.of(
      ...view.slice(0, start),
      ...view.slice(middle, end),
      ...view.slice(start, middle),
      ...view.slice(end),
    )
  }
  const inputs = [
    edit('\u0000\u00010\u0001', '\u0000\u000200\u0001'),
    edit('-1005', '+1005'),
    edit('\u0000\u0005-1005', '\u0000\u0006-01005'),
    edit('USD', 'usd'),
    edit('\u0002\u0000\u0000\u0003USD', '\u0002\u0002\u0000\u0003USD'),
    edit('-1005', '01005'),
    replace((view) => view.with(33, (view[33] ?? 0) | 0x80)),
    replace(exchangeChanges),
    edit('\u0001\u0000\u0003USD', '\u0002\u0000\u0003USD'),
    replace((view) => Uint8Array.of(...view, 0)),
    edit('Ana', '\u00ffna'),
  ]
  const verdicts = await compare(inputs)
  expect(verdicts.map((verdict) => verdict.state === 'invalid' && verdict.reason)).toEqual(
    inputs.map(() => 'malformed'),
  )
})

type Vector = Readonly<Record<string, unknown>> & { readonly file: string; readonly wantErr: boolean }

test.runIf(hasPython)('the second verifier has the verdict of all 518 vectors of transparency-dev/merkle', async () => {
  const cases = ['inclusion', 'consistency', 'subtree-inclusion', 'subtree-consistency'].flatMap((kind) => {
    const file = new URL(`../test/vectors/${kind}.json`, import.meta.url)
    return (JSON.parse(readFileSync(file, 'utf8')) as Vector[]).map((vector) => Object.assign({ kind }, vector))
  })
  expect(cases).toHaveLength(518)
  const answers = await runPythonVerifier(cases)
  for (const [place, { kind, file, wantErr }] of cases.entries())
    expect(answers[place], `${kind} ${file}`).toBe(!wantErr)
})

test.runIf(hasPython)('both verifiers agree on proofs of every tree of up to 20 leaves, right and wrong', async () => {
  const cases: object[] = []
  const verdicts: boolean[] = []
  const encode = (hashes: readonly Uint8Array[]) => hashes.map((hash) => toBase64(hash))
  for (let size = 1; size <= 20; size += 1) {
    const leaves = createLeafHashes(size)
    const root = computeRoot(leaves)
    for (const [index, leafHash] of leaves.entries()) {
      const right = buildNaiveInclusion(leaves, index)
      const wrong = [right.slice(1), right.slice(0, -1), right.toReversed(), [...right, root], right]
      for (const [variant, path] of [right, ...wrong].entries()) {
        const place = variant === 5 ? (index + 1) % size : index
        verdicts.push(verifyInclusion({ index: place, size, leafHash, proof: path, root }))
        const common = { leafIdx: String(place), treeSize: String(size), leafHash: toBase64(leafHash) }
        cases.push({ kind: 'inclusion', ...common, root: toBase64(root), proof: encode(path) })
      }
      const root1 = computeRoot(leaves.slice(0, index + 1))
      const consistent = buildNaiveConsistency(leaves, index + 1)
      for (const path of [consistent, consistent.slice(1), consistent.toReversed(), [root1, ...consistent]]) {
        verdicts.push(verifyConsistency({ size1: index + 1, size2: size, root1, root2: root, proof: path }))
        const common = { size1: String(index + 1), size2: String(size), root1: toBase64(root1) }
        cases.push({ kind: 'consistency', ...common, root2: toBase64(root), proof: encode(path) })
      }
    }
  }
  expect(await runPythonVerifier(cases)).toEqual(verdicts)
  expect(verdicts.filter(Boolean).length).toBeGreaterThan(400)
})

test.runIf(hasPython)('the command prints the facts of a valid proof, and why another is invalid', () => {
  const keys = [
    ...['--log', formatVerifierKey(logKey)],
    ...witnessKeys.flatMap((key) => ['--witness', formatVerifierKey(toVerifierKey(key))]),
  ]
  const run = (args: readonly string[], input = '') =>
    spawnSync('python3', [verifierPath, ...keys, ...args], { input, encoding: 'utf8' })
  const valid = run(['-'], formatReceiptProof(proof))
  expect(valid.stdout).toMatch(/^VALID/)
  for (const fact of ['-10.05 USD', '9.21 EUR', '0.05 USD', 'Zoë Müller', '2026-11-30', 'witness.example/w2'])
    expect(valid.stdout).toContain(fact)
  expect(valid.stdout).toContain(deriveUuid('reference'))
  expect(valid.status).toBe(0)
  expect(run(['--text', `https://tern.example/verify#${formatCompactProof(proof)}`]).status).toBe(0)
  const damaged = run(['-'], formatReceiptProof(proof).replace('\n11\n', '\n12\n'))
  expect(damaged.stdout).toMatch(/^INVALID: the log's signature/)
  expect(damaged.status).toBe(1)
  expect(run([]).status).toBe(2)
})

test.runIf(hasPython)('the example beside the second verifier is what its README says', () => {
  const file = (name: string) => fileURLToPath(new URL(`../verifier/${name}`, import.meta.url))
  const readme = readFileSync(file('README.md'), 'utf8')
  expect(readFileSync(file('example.tlog-proof'), 'utf8')).toBe(formatReceiptProof(proof))
  const command = /python3 verify_receipt\.py ([^]+?example\.tlog-proof)/.exec(readme)?.[1] ?? ''
  const args = command.replaceAll('\\', ' ').trim().split(/\s+/)
  const { stdout } = spawnSync('python3', [verifierPath, ...args.slice(0, -1), file('example.tlog-proof')], {
    encoding: 'utf8',
  })
  expect(readme).toContain(stdout.replaceAll(/^(?=.)/gm, '    '))
})

test('Base64 and Base32 have one spelling for the same bytes', () => {
  expect(() => fromBase64('AB==')).toThrow('canonical')
  expect(fromBase64('AA==')).toEqual(Uint8Array.of(0))
})

import { randomBytes, randomUUID } from 'node:crypto'
import { cancelTransfer, sendMoney, settleTransfer } from '@tern/contract/transfers'
import { transactionProof } from '@tern/contract/transparency'
import { raiseLimits } from '@tern/testkit/people'
import { openTestApp } from '@tern/testkit/open-test-app'
import { completeDeletion } from '@tern/testkit/account-deletion'
import { parseCheckpoint } from '@tern/transparency/checkpoint'
import { parseEntryBundle } from '@tern/transparency/entry-bundle'
import { computeRoot, hashLeaf } from '@tern/transparency/merkle'
import { parseVerifierKey } from '@tern/transparency/note-keys'
import type { Policy } from '@tern/transparency/policy'
import { commitView, parseLeaf } from '@tern/transparency/posting-leaf'
import { parseReceiptText, verifyReceiptText } from '@tern/transparency/verify-receipt'
import { parseViewFacts } from '@tern/transparency/view-facts'
import { beforeAll, expect, test, vi } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { appendPostings } from './append-postings.ts'

const world = await openTestApp({ unconfirmedPayments: 'any' })
const { product } = world.app
const { transparency, pool } = product
let alice: TestPerson
let bruno: TestPerson
let policy: Policy

beforeAll(async () => {
  await raiseLimits(world.database.pool)
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
  await world.fund(alice, 1_000_000)
  policy = { logs: [parseVerifierKey((await read('/log/vkey')).payload.trim())], witnesses: [], quorum: 0 }
})

const read = (url: string) => world.app.http.inject({ method: 'GET', url })

async function send(from: TestPerson, to: TestPerson, overrides: object = {}): Promise<string> {
  const body = {
    recipient_id: to.id,
    amount: '40.00',
    source_currency: 'USD',
    description: 'Rent',
    ...overrides,
  } as const
  return (await from.call(sendMoney, { body, idempotencyKey: randomUUID() })).transaction_id
}

const loadProof = (person: TestPerson, id: string) => person.call(transactionProof, { params: { id } })

/** Appends until the log contains every committed posting. Older transactions of other tests may delay it. */
const catchUp = () =>
  vi.waitFor(
    async () => {
      await transparency.append(pool)
      const { rows } = await pool.query<{ count: bigint }>(
        `select count(*) from ledger.posting p where refusal is null
          and not exists (select from transparency_leaf l where l.posting_id = p.id)`,
      )
      expect(rows[0]?.count).toBe(0n)
    },
    { timeout: 300_000, interval: 100 },
  )

async function proveReceipt(person: TestPerson, id: string) {
  await catchUp()
  const { state, proofs } = await loadProof(person, id)
  expect(state).toBe('logged')
  const receipt = proofs.find((proof) => proof.is_receipt)
  if (!receipt) throw new Error('no proof belongs to the receipt')
  return receipt
}

function verify(text: string) {
  const verdict = verifyReceiptText(text, policy)
  if (verdict.state === 'invalid') throw new Error(verdict.reason)
  return verdict.facts
}

test('both parties of a send prove what it changed for them, as file and as address', async () => {
  const id = await send(alice, bruno)
  const own = await proveReceipt(alice, id)
  const facts = verify(own.file)
  expect(verify(own.url)).toEqual(facts)
  expect(facts).toMatchObject({
    reference: id,
    changes: [{ part: 'available', currency: 'USD', scale: 2, minor: -4040n }],
    fee: { currency: 'USD', scale: 2, minor: 40n },
    delivered: { currency: 'EUR', scale: 2, minor: 3720n },
    fromName: 'alice Tester',
    toName: 'bruno Tester',
  })
  const received = verify((await proveReceipt(bruno, id)).file)
  expect(received.changes).toEqual([{ part: 'available', currency: 'EUR', scale: 2, minor: 3720n }])
  expect(received.fee).toBeUndefined()
})

test('a proof is its owner’s, and a fresh transaction is not in the log yet', async () => {
  const carol = await world.enroll('carol', 'Germany')
  const id = await send(alice, bruno)
  expect(await loadProof(alice, id)).toEqual({ state: 'not_yet', proofs: [] })
  await catchUp()
  const path = `/transaction/${id}/proof`
  expect((await world.raw('GET', path, { token: carol.token })).body).toMatchObject({ status: 404, code: 'not_found' })
  expect((await world.raw('GET', path)).body).toMatchObject({ status: 401 })
  expect((await world.raw('GET', path.replace(id, randomUUID()), { token: alice.token })).body).toMatchObject({
    code: 'not_found',
  })
})

test('a held transfer proves its reservation, and its receipt the posting that delivered', async () => {
  const held = await send(alice, bruno, { undo_seconds: 600 })
  expect(verify((await proveReceipt(alice, held)).file).changes.map(({ part }) => part)).toEqual([
    'available',
    'on_hold',
  ])
  await alice.call(settleTransfer, { params: { id: held } })
  await catchUp()
  const { proofs } = await loadProof(alice, held)
  expect(proofs.map((proof) => [verify(proof.file).delivered?.minor, proof.is_receipt])).toEqual([
    [undefined, false],
    [3720n, true],
  ])
  expect(verify((await proveReceipt(bruno, held)).file).delivered?.minor).toBe(3720n)
  const released = await send(alice, bruno, { undo_seconds: 600 })
  await alice.call(cancelTransfer, { params: { id: released } })
  await catchUp()
  expect((await loadProof(alice, released)).proofs).toHaveLength(2)
})

test('the served tiles, entries and checkpoint agree, and full tiles never expire', async () => {
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(Array.from({ length: 100 }, () => send(alice, bruno, { amount: '1.00' })))
  }
  await catchUp()
  const answer = await read('/log/checkpoint')
  expect(answer.headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'public, max-age=2',
  })
  const checkpoint = parseCheckpoint(answer.payload)
  expect(checkpoint.size).toBeGreaterThan(300)
  const bundle = await read('/log/tile/entries/000')
  expect(bundle.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'cache-control': 'public, max-age=31536000, immutable',
  })
  const rest = await read(`/log/tile/entries/001.p/${checkpoint.size - 256}`)
  const leaves = [...parseEntryBundle(bundle.rawPayload), ...parseEntryBundle(rest.rawPayload)].map((data) =>
    hashLeaf(data),
  )
  expect(computeRoot(leaves)).toEqual(checkpoint.root)
  const tile = await read('/log/tile/0/000')
  expect(Buffer.concat(leaves.slice(0, 256))).toEqual(tile.rawPayload)
  expect((await read('/log/tile/1/000.p/1')).rawPayload).toEqual(Buffer.from(computeRoot(leaves.slice(0, 256))))
  for (const path of ['0/002', `0/001.p/${checkpoint.size - 255}`, '0/1', 'entries/900', '9/000', '0/000.p/256'])
    expect((await read(`/log/tile/${path}`)).statusCode, path).toBe(404)
})

test('several workers append each posting once, and an interrupted step leaves nothing behind', async () => {
  const sends = Promise.all(Array.from({ length: 60 }, () => send(alice, bruno, { amount: '1.00' })))
  const before = await countLeaves()
  await world.database.pool.query(
    `create function fail_now() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$`,
  )
  await world.database.pool.query(
    'create trigger fail_now before update on transparency_position for each statement execute function fail_now()',
  )
  await sends
  await expect(appendPostings(pool)).rejects.toThrow('broken')
  expect(await countLeaves()).toBe(before)
  await world.database.pool.query('drop trigger fail_now on transparency_position')
  await Promise.all(Array.from({ length: 6 }, () => appendPostings(pool, 7)))
  await catchUp()
  const { rows } = await pool.query<{ leaves: bigint; postings: bigint; last: bigint }>(
    `select count(*) as leaves, max(leaf_index) + 1 as last,
        (select count(*) from ledger.posting where refusal is null) as postings from transparency_leaf`,
  )
  expect(rows[0]?.leaves).toBe(rows[0]?.postings)
  expect(rows[0]?.last).toBe(rows[0]?.leaves)
})

const countLeaves = async () =>
  (await pool.query<{ count: bigint }>('select count(*) from transparency_leaf')).rows[0]?.count

test('refused movements are not logged, and postings from before the log come first, by time', async () => {
  await expect(send(alice, bruno, { amount: '9999.00' })).rejects.toMatchObject({ code: 'insufficient_funds' })
  await world.database.pool.query(`
    alter table transparency_leaf disable trigger log_is_kept; delete from transparency_leaf;
    alter table transparency_tile disable trigger log_is_kept; delete from transparency_tile;
    alter table transparency_position disable trigger log_never_shrinks;
    delete from transparency_view; delete from transparency_edge; delete from transparency_checkpoint;
    update transparency_position set size = 0, is_queued = false;
    alter table ledger.posting disable trigger history_is_kept; update ledger.posting set xid = null;
    alter table ledger.posting enable trigger history_is_kept;
    alter table transparency_leaf enable trigger log_is_kept;
    alter table transparency_tile enable trigger log_is_kept;
    alter table transparency_position enable trigger log_never_shrinks`)
  const sent = await send(alice, bruno)
  await catchUp()
  const { rows } = await pool.query<{ ids: string[]; ordered: string[]; refused: bigint }>(
    `select array(select posting_id from transparency_leaf order by leaf_index) as ids,
        array(select id from ledger.posting where refusal is null order by created_at, id) as ordered,
        (select count(*) from ledger.posting where refusal is not null) as refused`,
  )
  expect(rows[0]?.ids).toEqual(rows[0]?.ordered)
  expect(rows[0]?.refused).toBeGreaterThan(0n)
  expect(verify((await proveReceipt(alice, sent)).file).reference).toBe(sent)
})

test('after a restore into another cluster, no posting is logged twice or missed', async () => {
  await catchUp()
  const sent = await send(alice, bruno)
  const leaves = await countLeaves()
  // A later position of another cluster.
  await world.database.pool.query(`update transparency_position set cluster = 1, position = '900000000000'`)
  await catchUp()
  expect(await countLeaves()).toBe((leaves ?? 0n) + 1n)
  expect(verify((await proveReceipt(alice, sent)).file).reference).toBe(sent)
})

test('erasing an account ends its proofs, and the other party’s proofs stay possible without the name', async () => {
  const dora = await world.enroll('dora', 'Germany')
  const id = await send(alice, dora)
  const kept = await proveReceipt(dora, id)
  const before = await proveReceipt(alice, id)
  expect(verify(before.file).toName).toBe('dora Tester')
  await emptyWallet(dora)
  await completeDeletion(world, dora.id)
  const { rows } = await pool.query<{ views: bigint }>(
    `select count(*) as views from transparency_view where user_id = $1 or other_id = $1 or to_name like 'dora%' or from_name like 'dora%'`,
    [dora.id],
  )
  expect(rows[0]?.views).toBe(0n)
  // Proofs that were handed out stay valid.
  expect(verify(kept.file).toName).toBe('dora Tester')
  expect(verify(before.url).toName).toBe('dora Tester')
  const after = verify((await proveReceipt(alice, id)).file)
  expect(after).toEqual({ ...verify(before.file), fromName: '', toName: '' })
})

/** Sends everything away: 37.01 and a fee of half a percent. */
const emptyWallet = (person: TestPerson) => send(person, bruno, { amount: '37.01', source_currency: 'EUR' })

test('without its salt, a leaf confirms none of 10,000 guesses, the right facts among them', async () => {
  const id = await send(alice, bruno)
  const proof = parseReceiptText((await proveReceipt(alice, id)).file)
  const facts = parseViewFacts(proof.disclosure.view)
  const { rows } = await pool.query<{ data: Buffer }>('select data from transparency_leaf where leaf_index = $1', [
    proof.index,
  ])
  const leaf = parseLeaf(new Uint8Array(rows[0]?.data ?? []))
  if (leaf.kind !== 'posting') throw new Error('the leaf is no posting')
  const commitments = new Set(leaf.commitments.map((commitment) => Buffer.from(commitment).toString('hex')))
  const commit = (salt: Uint8Array) => Buffer.from(commitView(facts, salt)).toString('hex')
  expect(commitments.has(commit(proof.disclosure.salt))).toBe(true)
  const confirmed = Array.from({ length: 10_000 }, () => commit(randomBytes(32))).filter((guess) =>
    commitments.has(guess),
  )
  expect(confirmed).toEqual([])
})

test('the application’s role cannot change the log', async () => {
  for (const statement of [
    'delete from transparency_leaf',
    `update transparency_leaf set ledger_salt = sha256('')`,
    'truncate transparency_tile',
    'update transparency_position set size = 0',
    'delete from transparency_key',
    `update transparency_view set nameless_salt = null where nameless_salt is not null`,
    `update transparency_checkpoint set root = sha256('')`,
  ])
    await expect(world.database.pool.query(statement), statement).rejects.toMatchObject({ code: 'TL002' })
})

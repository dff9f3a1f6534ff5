// Local double of Kraken's spot REST API. It keeps orders and a ledger in the documented form, verifies signatures and
// nonces, and fails as the test says.

import { createHash, createHmac } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

export const krakenKey = 'kraken-test-key'
/** Private key from the example of the documentation. */
export const krakenSecret = 'kQH5HW/8p1uGOVjbgWA7FunAmGO8lsSUXNsu3eow76sz84Q18fWxnyRzBHCd3pd5nE9qa99HAZtuZuj6F1huXg=='

/** Way in which one call fails. `lose_answer`: it is carried out, and its answer is lost. */
export type KrakenFault =
  | { readonly kind: 'silence' | 'lose_answer' }
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'errors'; readonly errors: readonly string[] }

export interface KrakenOrder {
  readonly cl_ord_id: string
  readonly descr: { readonly pair: string; readonly type: string; readonly ordertype: string }
  status: string
  opentm: number
  closetm: number
  vol: string
  vol_exec: string
  reason: string | null
  oflags: string
  trades: string[]
}

export interface KrakenEntry {
  readonly refid: string
  readonly time: number
  readonly type: string
  readonly asset: string
  readonly amount: string
  readonly fee: string
}

const assets = {
  ...{ XXBT: 'XBT', XETH: 'ETH', USDT: 'USDT', USDC: 'USDC', ZUSD: 'USD', ZEUR: 'EUR', ZGBP: 'GBP', ZJPY: 'JPY' },
  ...{ ZCAD: 'CAD', ZAUD: 'AUD', ADA: 'ADA' },
} as const

const pair = (altname: string, base: string, quote: string, changes: object = {}) => ({
  altname,
  wsname: `${altname.slice(0, 3)}/${altname.slice(3)}`,
  aclass_base: 'currency',
  base,
  aclass_quote: 'currency',
  quote,
  pair_decimals: 5,
  cost_decimals: 5,
  lot_decimals: 8,
  lot_multiplier: 1,
  fees: [[0, 0.4]],
  ordermin: '5',
  costmin: '0.5',
  tick_size: '0.00001',
  status: 'online',
  ...changes,
})

/** Pairs as listed by Kraken: https://docs.kraken.com/api-reference/market-data/get-tradable-asset-pairs */
const pairs: Record<string, object> = {
  XXBTZUSD: pair('XBTUSD', 'XXBT', 'ZUSD', { ordermin: '0.00005' }),
  XETHZUSD: pair('ETHUSD', 'XETH', 'ZUSD', { ordermin: '0.002' }),
  ZEURZUSD: pair('EURUSD', 'ZEUR', 'ZUSD'),
  ZUSDZJPY: pair('USDJPY', 'ZUSD', 'ZJPY'),
  USDTZUSD: pair('USDTUSD', 'USDT', 'ZUSD'),
  USDCUSD: pair('USDCUSD', 'USDC', 'ZUSD', { status: 'cancel_only' }),
  ADAUSD: pair('ADAUSD', 'ADA', 'ZUSD'),
}

/** Executes an order with these fields, and returns its trades. */
export type Execute = (order: URLSearchParams) => {
  readonly status?: string
  readonly volume: string
  readonly reason?: string
  /** Trades, each with the amounts and fees of the base and the quote asset. */
  readonly trades: readonly {
    readonly base: readonly [asset: string, amount: string, fee: string]
    readonly quote: readonly [asset: string, amount: string, fee: string]
  }[]
}

export async function startKrakenDouble() {
  const calls: { readonly path: string; readonly fields: URLSearchParams }[] = []
  const orders = new Map<string, KrakenOrder>()
  const ledger = new Map<string, KrakenEntry>()
  const faults = new Map<string, KrakenFault[]>()
  const state = {
    lastNonce: 0n,
    /** Seconds by which Kraken's clock is ahead. */
    clockOffset: 0,
    /** Seconds that an order is on its way. */
    orderDelay: 0,
    denied: new Set<string>(),
    /** True while the ledger lacks the latest trades. */
    isLedgerLate: false,
    execute: undefined as Execute | undefined,
    balances: { ZUSD: '250000.0000', XXBT: '0.0000000000' } as Record<string, string>,
  }
  const serverSeconds = () => Math.floor(Date.now() / 1000) + state.clockOffset

  function placeOrder(fields: URLSearchParams): object {
    const deadline = Date.parse(fields.get('deadline') ?? '') / 1000
    if (deadline < serverSeconds() + state.orderDelay) return { error: ['EOrder:Deadline elapsed'] }
    const id = fields.get('cl_ord_id') ?? ''
    const isOpen = [...orders.values()].some((order) => order.cl_ord_id === id && order.status === 'open')
    if (isOpen) return { error: ['EOrder:Duplicate cl_ord_id'] }
    const reference = `OAAAAA-${String(orders.size).padStart(5, '0')}-KRAKEN`
    const filled = state.execute?.(fields)
    const now = Date.now() / 1000 + 0.1234
    const trades = (filled?.trades ?? []).map((trade, index) => {
      const refid = `T${reference}-${index}`
      for (const [asset, amount, fee] of [trade.base, trade.quote])
        ledger.set(`L${ledger.size}`, { refid, time: now, type: 'trade', asset, amount, fee })
      return refid
    })
    orders.set(reference, {
      cl_ord_id: id,
      descr: { pair: fields.get('pair') ?? '', type: fields.get('type') ?? '', ordertype: 'market' },
      status: filled ? (filled.status ?? 'closed') : 'open',
      opentm: now,
      closetm: filled ? now + 0.02 : 0,
      vol: fields.get('volume') ?? '',
      vol_exec: filled?.volume ?? '0.00000000',
      reason: filled?.reason ?? null,
      oflags: fields.get('oflags') ?? '',
      trades,
    })
    return { error: [], result: { descr: { order: `${fields.get('type')} market` }, txid: [reference] } }
  }

  const listOrders = (fields: URLSearchParams, isOpen: boolean) =>
    Object.fromEntries(
      [...orders].filter(
        ([, order]) =>
          (order.status === 'open') === isOpen &&
          (!fields.has('cl_ord_id') || fields.get('cl_ord_id') === order.cl_ord_id),
      ),
    )

  function answerPrivate(name: string, fields: URLSearchParams): object {
    if (state.denied.has(name)) return { error: ['EGeneral:Permission denied'] }
    if (name === 'AddOrder') {
      if (fields.get('validate') === 'true') return { error: [], result: { descr: { order: 'buy market' } } }
      return placeOrder(fields)
    }
    if (name === 'OpenOrders') return { error: [], result: { open: listOrders(fields, true) } }
    if (name === 'ClosedOrders') return { error: [], result: { closed: listOrders(fields, false) } }
    if (name === 'Balance') return { error: [], result: state.balances }
    if (name === 'WithdrawInfo') return { error: ['EFunding:Unknown withdraw key'] }
    if (name !== 'Ledgers') return { error: ['EGeneral:Unknown method'] }
    const offset = Number(fields.get('ofs') ?? '0')
    const page = state.isLedgerLate ? [] : [...ledger].slice(offset, offset + 50)
    return { error: [], result: { ledger: Object.fromEntries(page), count: ledger.size } }
  }

  function answer(path: string, body: string, headers: http.IncomingHttpHeaders): object {
    if (path === '/0/public/Time') return { error: [], result: { unixtime: serverSeconds(), rfc1123: '' } }
    if (path === '/0/public/Assets') {
      const result = Object.entries(assets).map(([name, altname]) => [name, { aclass: 'currency', altname }] as const)
      return { error: [], result: Object.fromEntries(result) }
    }
    if (path === '/0/public/AssetPairs') return { error: [], result: pairs }
    const fields = new URLSearchParams(body)
    const nonce = fields.get('nonce') ?? ''
    const hash = createHash('sha256')
      .update(nonce + body)
      .digest()
    const signature = createHmac('sha512', Buffer.from(krakenSecret, 'base64')).update(path).update(hash)
    if (headers['api-key'] !== krakenKey) return { error: ['EAPI:Invalid key'] }
    if (headers['api-sign'] !== signature.digest('base64')) return { error: ['EAPI:Invalid signature'] }
    if (BigInt(nonce) <= state.lastNonce) return { error: ['EAPI:Invalid nonce'] }
    state.lastNonce = BigInt(nonce)
    return answerPrivate(path.replace('/0/private/', ''), fields)
  }

  async function reply(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString('utf8')
    const path = request.url?.split('?')[0] ?? ''
    calls.push({ path, fields: new URLSearchParams(body) })
    const fault = faults.get(path.split('/').at(-1) ?? '')?.shift()
    if (fault?.kind === 'silence') return
    if (fault?.kind === 'status')
      return void response.writeHead(fault.status, fault.headers).end('{"error":[],"result":{}}')
    if (fault?.kind === 'text') return void response.end(fault.text)
    const result = fault?.kind === 'errors' ? { error: fault.errors } : answer(path, body, request.headers)
    if (fault?.kind === 'lose_answer') return void response.destroy()
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result))
  }

  const server = http.createServer((request, response) => void reply(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    orders,
    ledger,
    state,
    pairs,
    /** Lets the next calls of this method fail, one by one. */
    fail: (name: string, ...next: KrakenFault[]) => void faults.set(name, next),
    placed: () => calls.filter(({ path, fields }) => path.endsWith('/AddOrder') && !fields.has('validate')),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type KrakenDouble = Awaited<ReturnType<typeof startKrakenDouble>>

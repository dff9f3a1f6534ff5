import type { Quote } from '@tern/contract/exchange'
import type { Wallet } from '@tern/contract/wallets'
import { scaleOf } from '@tern/money/currency'
import { divide, multiply, parseRatio, ratio } from '@tern/money/ratio'
import { describe, expect, it } from 'vitest'
import { conversionFlow } from '../../ui/money/conversion.ts'
import { averageBankCost } from './review/SendPrice.tsx'
import { describeChange } from './review/use-price.ts'
import {
  emptyForm,
  validateSend,
  buildQuoteRequest,
  type SendForm,
  computeShortfall,
  listSources,
} from './send-form.ts'
import { findRecipient } from '../../app/recipient/find-recipient.ts'

const ownId = 1_000_000_001
const lucas = { id: 1_000_000_002, username: 'lucas.moreau', name: 'Lucas Moreau', base_currency: 'EUR' }
const wallet: Wallet = {
  id: '01a1fda9-0000-7000-8000-000000000000',
  name: 'Main wallet',
  user_id: ownId,
  base_currency: 'USD',
  currency: 'USD',
  fiat_balance: '100.00',
  stablecoin_balance: '5.000000',
  pending: '0.00',
  assets: [
    { currency: 'USD', available: '100.00', held: '0.00' },
    { currency: 'USDT', available: '5.000000', held: '0.000000' },
    { currency: 'BTC', available: '0.00000000', held: '0.00000000' },
  ],
  restricted: [],
}
const fullForm: SendForm = { ...emptyForm(), source: 'USD', recipientText: 'lucas', recipient: lucas, amount: '40' }

describe('an amount to arrive exactly', () => {
  const exactForm: SendForm = { ...fullForm, isExact: true, amount: '90.00' }

  it('is priced from the recipient’s side', () => {
    expect(buildQuoteRequest(exactForm)).toMatchObject({
      ...{ source_currency: 'USD', target_currency: 'EUR', amount: '90.00', side: 'target' },
    })
    expect(buildQuoteRequest(fullForm)).toMatchObject({ amount: '40', side: 'source' })
  })

  it('is compared with the balance by its price only', () => {
    expect(computeShortfall({ ...exactForm, amount: '500' }, wallet, undefined)).toBeUndefined()
    expect(computeShortfall(exactForm, wallet, '97.75')).toBeUndefined()
    expect(computeShortfall(exactForm, wallet, '100.01')).toBe('0.01')
  })

  it('is in the received currency', () => {
    const toJapan = { ...exactForm, recipient: { ...lucas, base_currency: 'JPY' } }
    expect(buildQuoteRequest({ ...toJapan, amount: '90.5' })).toBeUndefined()
    expect(buildQuoteRequest({ ...toJapan, amount: '90' })).toMatchObject({ target_currency: 'JPY', amount: '90' })
  })
})

describe('the form', () => {
  it('is complete with a wallet, a recipient and an amount', () => {
    expect(validateSend(fullForm, wallet, ownId, undefined)).toEqual({})
  })

  it('names missing fields, in the words of each field', () => {
    expect(validateSend({ ...emptyForm(), source: undefined }, wallet, ownId, undefined)).toEqual({
      source: 'Please select a source wallet',
      recipient: 'Please select a valid registered Tern user',
      amount: 'Please enter a valid amount',
    })
    expect(validateSend({ ...fullForm, isCrypto: true, cryptoCurrency: '' }, wallet, ownId, undefined)).toEqual({
      cryptoCurrency: 'Please select a cryptocurrency',
    })
  })

  it('refuses only the own account', () => {
    const toSelf = { ...fullForm, recipient: { ...lucas, id: ownId } }
    expect(validateSend(toSelf, wallet, ownId, undefined).recipient).toBe('You cannot send money to yourself')
    expect(validateSend(fullForm, wallet, ownId, undefined).recipient).toBeUndefined()
  })

  it('recognizes the own account by username and email without a request', async () => {
    const ownUser = { ...lucas, id: ownId, username: 'ada', email: 'ada@mail.test' }
    expect(await findRecipient(' ADA@mail.test ', ownUser)).toBe(ownUser)
    expect(await findRecipient('Ada', ownUser)).toBe(ownUser)
  })

  it('ignores the balance when a card or a bank pays, and states who cannot be paid that way', () => {
    const aboveBalance = { ...fullForm, amount: '500' }
    expect(validateSend(aboveBalance, wallet, ownId, undefined).amount).toBe(
      'Insufficient balance. Consider using a card or bank account instead.',
    )
    expect(validateSend(aboveBalance, wallet, ownId, '505.00', true)).toEqual({})
    expect(
      validateSend({ ...fullForm, recipient: { ...lucas, id: ownId } }, wallet, ownId, undefined, true).recipient,
    ).toBe('Cannot send money to yourself using a card payment. Please select a different recipient.')
    expect(validateSend({ ...fullForm, recipient: undefined }, wallet, ownId, undefined, true).recipient).toBe(
      'Missing recipient information. Please select a valid recipient before proceeding.',
    )
  })

  it('requests the price of an amount while it is typed', () => {
    expect(buildQuoteRequest({ ...fullForm, amount: '12.' })?.amount).toBe('12')
  })

  it('refuses nonsense as an amount', () => {
    for (const amount of ['', '0', '-1', '1.234', 'x']) {
      expect(validateSend({ ...fullForm, amount }, wallet, ownId, undefined).amount).toBe('Please enter a valid amount')
    }
  })

  it('checks the balance plus one percent until there is a price, then the price', () => {
    expect(computeShortfall({ ...fullForm, amount: '99.00' }, wallet, undefined)).toBeUndefined()
    expect(computeShortfall({ ...fullForm, amount: '99.01' }, wallet, undefined)).toBeUndefined()
    expect(computeShortfall({ ...fullForm, amount: '99.02' }, wallet, undefined)).toBe('0.01')
    expect(computeShortfall({ ...fullForm, amount: '99.50' }, wallet, '100.00')).toBeUndefined()
    expect(computeShortfall({ ...fullForm, amount: '99.50' }, wallet, '100.01')).toBe('0.01')
  })

  it('pays from the main currency and from held cryptocurrency', () => {
    expect(listSources(wallet).map((source) => source.currency)).toEqual(['USD', 'USDT'])
  })

  it('requests a price only once recipient and amount are known', () => {
    expect(buildQuoteRequest({ ...fullForm, recipient: undefined })).toBeUndefined()
    expect(buildQuoteRequest(fullForm)).toEqual({
      source_currency: 'USD',
      target_currency: 'EUR',
      amount: '40',
      side: 'source',
      recipient_id: lucas.id,
    })
    expect(buildQuoteRequest({ ...fullForm, isCrypto: true, cryptoCurrency: 'BTC' })?.target_currency).toBe('BTC')
  })

  it('starts with Bitcoin if that was chosen before', () => {
    expect(emptyForm(true)).toMatchObject({ isCrypto: true, cryptoCurrency: 'BTC' })
    expect(emptyForm()).toMatchObject({ isCrypto: false, cryptoCurrency: 'USDT' })
  })
})

describe('the average bank', () => {
  const cost = (source: string, amount: string, target: string) =>
    averageBankCost({ source_currency: source, source_amount: amount, target_currency: target } as Quote)

  it('takes 11.48 percent, to the minor unit', () => {
    expect(cost('USD', '400.00', 'EUR')).toBe('45.92')
    expect(cost('JPY', '1000', 'USD')).toBe('115')
  })

  it('is not compared outside the scope of its figure', () => {
    expect(cost('USD', '400.00', 'USD')).toBeUndefined()
    expect(cost('USD', '400.00', 'BTC')).toBeUndefined()
    expect(cost('USDT', '400.000000', 'EUR')).toBeUndefined()
  })
})

describe('the route of the money', () => {
  const captions = { first: 'you pay', middle: 'in transit', end: 'Lucas gets' }
  const amounts = {
    source_amount: '93.00',
    source_currency: 'EUR',
    target_amount: '79.00',
    target_currency: 'GBP',
    stablecoin_amount: '100.000000',
    rate: '0.849462365591',
  } as const

  it('passes through the stablecoin, with the rate of each arc', () => {
    const { from, via, to, rate } = conversionFlow(amounts, captions)
    expect([from.amount, via?.amount, to.amount]).toEqual(['93.00', '100.000000', '79.00'])
    expect([from.currency, via?.currency, to.currency]).toEqual(['EUR', 'USDT', 'GBP'])
    expect([rate, ...(via?.rates ?? [])]).toEqual(['0.849462365591', '1.07526882', '0.7900'])
  })

  it('has no stop if one end is the stablecoin, and no rate in one currency', () => {
    expect(conversionFlow({ ...amounts, target_currency: 'USDT' }, captions).via).toBeUndefined()
    const sameCurrencyFlow = conversionFlow(
      { ...amounts, target_currency: 'EUR', stablecoin_amount: null, rate: null },
      captions,
    )
    expect(sameCurrencyFlow).toMatchObject({ rate: undefined })
    expect(sameCurrencyFlow.via).toBeUndefined()
  })

  it.each([
    ['50.00', 'USD', '50.035000', '47.06', 'EUR', '0.941300000000'],
    ['50.00', 'USD', '50.035617', '47.06', 'EUR', '0.941283651234'],
    ['9999.99', 'USD', '10007.123456', '9412.83', 'EUR', '0.941283941300'],
    ['10000', 'JPY', '67.012345', '62.31', 'EUR', '0.006231499999'],
    ['62.31', 'EUR', '67.012345', '9999', 'JPY', '160.481463649494'],
    ['0.01', 'USD', '0.010007', '0.00000016', 'BTC', '0.000016000000'],
    ['1.00', 'EUR', '1.075268', '0.000358422939068100', 'ETH', '0.000358422939'],
  ] as const)(
    '%s %s, %s USDT and %s %s add up by the rates shown between them',
    (amount, source, usdt, targetAmount, target, rate) => {
      const flow = conversionFlow(
        {
          source_amount: amount,
          source_currency: source,
          target_amount: targetAmount,
          target_currency: target,
          stablecoin_amount: usdt,
          rate,
        },
        captions,
      )
      expect(flow.from.amount).toBe(amount)
      const [firstRate = '', secondRate = ''] = flow.via?.rates ?? []
      const isWithinOneUnit = (from: string, factor: string, to: string, scale: number) => {
        const unit = ratio(1n, 10n ** BigInt(scale))
        const product = divide(multiply(parseRatio(from), parseRatio(factor)), unit)
        const expected = divide(parseRatio(to), unit)
        const difference = product.numerator * expected.denominator - expected.numerator * product.denominator
        const size = difference < 0n ? -difference : difference
        return size < product.denominator * expected.denominator
      }
      expect(isWithinOneUnit(amount, firstRate, usdt, 6)).toBe(true)
      // A rate has twelve decimals, so it cannot express an amount with eighteen exactly.
      expect(isWithinOneUnit(usdt, secondRate, targetAmount, Math.min(scaleOf(target), 11))).toBe(true)
    },
  )
})

it('states the changes of a renewed price, or that there are none', () => {
  const before = {
    target_amount: '37.20',
    target_currency: 'EUR',
    total: '40.40',
    fee_currency: 'USD',
  } as Quote
  expect(describeChange(before, before, 'Lucas')).toBe('The price was renewed. Nothing changed.')
  expect(describeChange(before, { ...before, target_amount: '36.80' }, 'Lucas')).toBe(
    'The old price expired. Lucas now gets €36.80 instead of €37.20.',
  )
})

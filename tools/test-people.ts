// People for tests of the running product, who come in through its front door: sign up, verify, put money in by card.

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Client, createClient } from '@tern/contract/client'
import { register } from '@tern/contract/identity'
import { submitKyc } from '@tern/contract/kyc'
import { depositByCard, paymentStatus } from '@tern/contract/payments'
import { walletOfUser } from '@tern/contract/wallets'
import type { TestProductAddress } from './test-product.ts'

export interface TestPerson {
  id: number
  username: string
  email: string
  password: string
  accessToken: string
  currency: 'USD' | 'EUR'
  call: Client['call']
  wallet: () => Promise<{ id: string; fiat_balance: string }>
}

const countries = {
  USD: { country: 'United States', idNumber: '123-45-6789', documentType: 'drivers_license' },
  EUR: { country: 'Germany', idNumber: 'T220001293', documentType: 'passport' },
} as const

/** A new, verified person with an empty wallet in `currency`. */
export async function openAccount(address: TestProductAddress, currency: 'USD' | 'EUR'): Promise<TestPerson> {
  const username = `person-${randomUUID().slice(0, 8)}`
  const email = `${username}@example.com`
  const password = `${randomUUID()}-Aa1`
  const session: { accessToken?: string } = {}
  const { call } = createClient({
    baseUrl: `${address.E2E_URL}/api`,
    accessToken: () => session.accessToken,
    timeoutMs: 5000,
  })
  const registered = await call(register, { body: { email, password, username, name: 'Robin Example' } })
  session.accessToken = registered.access_token
  const { status, reasons } = await call(submitKyc, {
    params: { id: String(registered.id) },
    body: {
      ...countries[currency],
      email,
      firstName: 'Robin',
      lastName: 'Example',
      dateOfBirth: '1990-04-12',
      nationality: countries[currency].country,
      documentNumber: 'X1234567',
      currencyPreference: currency,
      streetAddress: '1 Harbour Street',
      city: 'Port',
      state: 'Coast',
      postalCode: '12345',
    },
  })
  if (status !== 'verified') throw new Error(`${username} is ${status}: ${JSON.stringify(reasons)}`)
  const wallet = () => call(walletOfUser, { params: { userId: String(registered.id) } })
  return { id: registered.id, username, email, password, accessToken: registered.access_token, currency, call, wallet }
}

/** Puts money in by the sandbox's hosted checkout and waits until it has arrived. `amount` is in minor units. */
export async function putMoneyIn(address: TestProductAddress, person: TestPerson, amount: number): Promise<void> {
  const { payment_id: id, redirectUrl } = await person.call(depositByCard, {
    body: { amount, currency: person.currency.toLowerCase(), depositToWallet: true },
    idempotencyKey: randomUUID(),
  })
  const session = new URL(redirectUrl).pathname.split('/').at(-1)
  const paid = await fetch(`${address.E2E_SANDBOX_URL}/api/checkout/${session}/pay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ card_number: '4242424242424242', expiry: '12/39', cvc: '123' }),
  })
  if (!paid.ok) throw new Error(`The sandbox refused the card: ${await paid.text()}`)
  for (let tries = 0; tries < 200; tries += 1) {
    const { status } = await person.call(paymentStatus, { params: { id } })
    if (status === 'completed') return
    if (status === 'failed') break
    await delay(50)
  }
  throw new Error(`The deposit ${id} did not arrive.`)
}

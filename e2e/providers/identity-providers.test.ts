import { createHmac } from 'node:crypto'
import { SignatureError } from '@tern/providers/events/port'
import type { IdentityDetails, IdentityProvider, IdentityResult } from '@tern/providers/verify/port'
import { createSandboxIdentityProvider } from '@tern/providers/verify/sandbox'
import { createStripeIdentityProvider } from '@tern/providers/verify/stripe'
import { Stripe } from 'stripe'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startStripeDouble, type StripeDouble, testSecret } from '@tern/testkit/providers/stripe'
import { startTestSandbox } from '@tern/testkit/sandbox'

// Tests the behavior that the product relies on, for each provider.

const person: IdentityDetails = {
  firstName: 'Ines',
  lastName: 'Okafor',
  dateOfBirth: '1990-05-17',
  country: 'United States',
  nationality: 'United States',
  idNumber: '123-45-6789',
  documentType: 'passport',
  documentNumber: 'X1234567',
}
const returnUrl = 'https://tern.example/profile'

/** Outcome of a visit to the provider's page. */
type VisitOutcome = 'done' | 'unreadable'

interface World {
  readonly provider: IdentityProvider
  /** Details for which the provider requires a visit to its page. */
  readonly hostedDetails: IdentityDetails
  visit(url: string, outcome: VisitOutcome): Promise<void>
  /** Returns body and signature of a webhook event about the check of this reference. */
  event(reference: string, type: 'verified' | 'other', at: Date, secret?: string): { body: string; signature: object }
}

async function startSandboxWorld(): Promise<World> {
  const sandbox = await startTestSandbox()
  onTestFinished(() => sandbox.stop())
  return {
    provider: createSandboxIdentityProvider(sandbox),
    hostedDetails: { ...person, lastName: 'Hosted' },
    async visit(url, outcome) {
      await fetch(url, { method: 'POST', body: new URLSearchParams({ how: outcome }), redirect: 'manual' })
    },
    event(reference, type, at, secret = sandbox.secret) {
      const name = type === 'verified' ? 'identity.verified' : 'payout.paid'
      const body = JSON.stringify({ id: 'evt_1', type: name, data: { reference, check_id: 'ck_1' } })
      const seconds = Math.floor(at.getTime() / 1000)
      const hash = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
      return { body, signature: { 'sandbox-signature': `t=${seconds},v1=${hash}` } }
    },
  }
}

/** Simulates Stripe's sessions in the shapes of its API reference. */
function answerLikeStripe(stripeDouble: StripeDouble) {
  const sessions = new Map<string, Record<string, unknown>>()
  const byKey = new Map<string, string>()
  let pages = 0
  const path = (id: string) => `/v1/identity/verification_sessions/${id}`
  const showPage = (id: string) => {
    const session = sessions.get(id) ?? {}
    const url =
      session.status === 'requires_input' ? `https://verify.stripe.com/start/test_${(pages += 1)}#${id}` : null
    return { body: { ...session, url } }
  }
  stripeDouble.on('POST /v1/identity/verification_sessions', ({ fields, headers }) => {
    const key = String(headers['idempotency-key'])
    const id = byKey.get(key) ?? `vs_${byKey.size + 1}`
    if (byKey.has(key)) return showPage(id)
    byKey.set(key, id)
    sessions.set(id, {
      ...{ id, object: 'identity.verification_session', type: 'document', status: 'requires_input', last_error: null },
      ...{ client_reference_id: fields.client_reference_id, redaction: null, verified_outputs: null, livemode: false },
    })
    stripeDouble.on(`GET ${path(id)}`, () => showPage(id))
    stripeDouble.on(`POST ${path(id)}/redact`, () => {
      sessions.set(id, { ...sessions.get(id), redaction: { status: 'processing' } })
      return showPage(id)
    })
    return showPage(id)
  })
  return {
    update: (id: string, change: object) => void sessions.set(id, { ...sessions.get(id), ...change }),
  }
}

const outputs = (change: object = {}) => ({
  verified_outputs: {
    ...{ first_name: 'INÉS MARIA', last_name: 'Okafor', dob: { day: 17, month: 5, year: 1990 }, address: null },
    ...change,
  },
})

async function startStripeWorld() {
  const stripeDouble = await startStripeDouble()
  onTestFinished(() => stripeDouble.close())
  const { update } = answerLikeStripe(stripeDouble)
  const settings = {
    secretKey: 'rk_test_double',
    webhookSecrets: ['whsec_another', testSecret],
    apiUrl: stripeDouble.url,
  }
  const { webhooks } = new Stripe('sk_test_double')
  const world: World = {
    provider: await createStripeIdentityProvider(settings),
    hostedDetails: person,
    visit: (url, outcome) => {
      const id = url.split('#')[1] ?? ''
      update(
        id,
        outcome === 'done'
          ? { status: 'verified', last_error: null, ...outputs() }
          : { last_error: { code: 'document_unverified_other', reason: 'The document is invalid.' } },
      )
      return Promise.resolve()
    },
    event(reference, type, at, secret = testSecret) {
      const name = type === 'verified' ? 'identity.verification_session.verified' : 'payment_intent.succeeded'
      const object = { id: 'vs_1', object: 'identity.verification_session', client_reference_id: reference }
      const body = JSON.stringify({ id: 'evt_1', object: 'event', type: name, created: 1, data: { object } })
      const timestamp = Math.floor(at.getTime() / 1000)
      const header = webhooks.generateTestHeaderString({ payload: body, secret, timestamp })
      return { body, signature: { 'stripe-signature': header } }
    },
  }
  return { ...world, stripeDouble, update }
}

interface EventForgery {
  readonly type?: 'verified' | 'other'
  readonly secret?: string
  readonly sent?: string
}

const requireKnown = (result: IdentityResult) => {
  if (result.status === 'unknown') throw new Error(result.reason)
  return result
}

describe.each([
  ['the sandbox', startSandboxWorld],
  ['Stripe', startStripeWorld],
])('%s', (_name, start) => {
  const buildOrder = (details: IdentityDetails, reference = 'r-1') => ({ reference, details, files: [], returnUrl })

  test('begins a check once for each reference, and leads back to it through its page', async () => {
    const { provider, hostedDetails, visit } = await start()
    const startedCheck = requireKnown(await provider.create(buildOrder(hostedDetails)))
    expect(startedCheck).toMatchObject({ status: 'pending', reasons: [], isHosted: true })
    expect(await provider.create(buildOrder(hostedDetails))).toEqual(startedCheck)
    expect(requireKnown(await provider.create(buildOrder(hostedDetails, 'r-2'))).checkId).not.toBe(startedCheck.checkId)
    const lookupCheck = () => provider.lookup(startedCheck.checkId, hostedDetails)
    const openCheckPage = async () => {
      const page = await provider.openPage(startedCheck.checkId)
      return page.status === 'open' ? page.url : page.status
    }
    const first = await openCheckPage()
    expect(first).toMatch(/^https?:\/\//)
    await visit(first, 'unreadable')
    await expect.poll(async () => (await lookupCheck()).status).toBe('needs_information')
    expect(await lookupCheck()).toMatchObject({
      reasons: [{ field: 'document', code: 'document_unreadable' }],
      isHosted: true,
      checkId: startedCheck.checkId,
    })
    const second = await openCheckPage()
    expect(second).not.toBe(first)
    await visit(second, 'done')
    await expect.poll(async () => (await lookupCheck()).status).toBe('verified')
    expect(await lookupCheck()).toMatchObject({ reasons: [], isHosted: false })
    expect(await openCheckPage()).toBe('ended')
  })

  test('deletes its data, also when asked again', async () => {
    const { provider, hostedDetails } = await start()
    const { checkId } = requireKnown(await provider.create(buildOrder(hostedDetails)))
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(await provider.redact(checkId)).toEqual({ status: 'redacted' })
    expect(await provider.redact('nobody_knows_this')).toMatchObject({
      status: expect.stringMatching(/redacted|unknown/),
    })
  })

  test('answers unknown for unknown checks', async () => {
    const { provider } = await start()
    expect((await provider.lookup('nobody_knows_this', person)).status).toBe('unknown')
    expect((await provider.openPage('nobody_knows_this')).status).toBe('unknown')
  })

  test('signs its events, which name the reference, for five minutes', async () => {
    const { provider, event } = await start()
    const now = new Date()
    const verifyEvent = (at: Date, { secret, sent, type = 'verified' }: EventForgery = {}) => {
      const { body, signature } = event('r-1', type, at, secret)
      return provider.verifyEvent(Buffer.from(sent ?? body), { ...signature }, now)
    }
    expect(verifyEvent(now)).toEqual({ id: 'evt_1', about: 'verification', reference: 'r-1' })
    expect(verifyEvent(new Date(now.getTime() - 290_000))).toMatchObject({ about: 'verification' })
    expect(verifyEvent(now, { type: 'other' })).toMatchObject({ about: 'unhandled' })
    for (const forgery of [
      () => verifyEvent(new Date(now.getTime() - 302_000)),
      () => verifyEvent(now, { secret: 'whsec_of_somebody_else_entirely' }),
      () => verifyEvent(now, { sent: '{"id":"evt_1"}' }),
      () => provider.verifyEvent(Buffer.from('{}'), {}, now),
    ]) {
      expect(forgery).toThrow(SignatureError)
    }
  })
})

describe('Stripe', () => {
  const order = { reference: 'r-1', details: person, files: [], returnUrl }
  const sessions = 'POST /v1/identity/verification_sessions'

  test('gets no number, name or birth date, and is asked for a live document and face', async () => {
    const { provider, stripeDouble } = await startStripeWorld()
    await provider.create({ ...order, details: { ...person, documentType: 'drivers_license' } })
    const { fields, headers } = stripeDouble.call(sessions)
    expect(fields).toEqual({
      type: 'document',
      client_reference_id: 'r-1',
      'metadata[submission_id]': 'r-1',
      return_url: returnUrl,
      'options[document][allowed_types][0]': 'driving_license',
      'options[document][require_live_capture]': 'true',
      'options[document][require_matching_selfie]': 'true',
      'expand[0]': 'verified_outputs',
      'expand[1]': 'verified_outputs.dob',
    })
    expect(headers['idempotency-key']).toBe('identity-r-1')
  })

  test.each<[string, object, string, string[]]>([
    ['the same person', {}, 'verified', []],
    ['one of several given names', { first_name: 'Maria Ines' }, 'verified', []],
    ['somebody else', { first_name: 'Lena', last_name: 'Becker' }, 'needs_information', ['firstName', 'lastName']],
    ['another day', { dob: { day: 18, month: 5, year: 1990 } }, 'needs_information', ['dateOfBirth']],
    ['nothing of the birth date', { dob: null }, 'in_review', ['check']],
    ['no name', { first_name: null }, 'in_review', ['check']],
  ])('a verified document of %s', async (_what, change, status, fields) => {
    const { provider, update } = await startStripeWorld()
    const { checkId } = requireKnown(await provider.create(order))
    update(checkId, { status: 'verified', ...outputs(change) })
    const result = requireKnown(await provider.lookup(checkId, person))
    expect([result.status, result.reasons.map(({ field }) => field)]).toEqual([status, fields])
  })

  test.each<[string, object, string]>([
    ['that name as the last one', { first_name: null, last_name: 'SUHARTO' }, 'verified'],
    ['that name as the first one', { first_name: 'Suharto', last_name: '' }, 'verified'],
    ['a sign for the missing one', { first_name: 'FNU', last_name: 'Suharto' }, 'verified'],
    ['two names', { first_name: 'Ahmad', last_name: 'Suharto' }, 'needs_information'],
    ['another name', { first_name: null, last_name: 'Sukarno' }, 'needs_information'],
    ['no name at all', { first_name: null, last_name: null }, 'in_review'],
  ])('of a person with a single name, a document with %s', async (_what, change, status) => {
    const { provider, update } = await startStripeWorld()
    const singleNamePerson = { ...person, firstName: '', lastName: 'Suharto' }
    const { checkId } = requireKnown(await provider.create({ ...order, details: singleNamePerson }))
    update(checkId, { status: 'verified', ...outputs(change) })
    expect(requireKnown(await provider.lookup(checkId, singleNamePerson)).status).toBe(status)
  })

  test.each([
    ['document_expired', 'needs_information', { field: 'document', code: 'document_expired' }],
    ['selfie_face_mismatch', 'needs_information', { field: 'selfie', code: 'selfie_not_matching' }],
    ['selfie_manipulated', 'in_review', { field: 'selfie', code: 'reviewed_by_hand' }],
    ['under_supported_age', 'rejected', { field: 'dateOfBirth', code: 'too_young' }],
    ['consent_declined', 'needs_information', { field: 'check', code: 'check_not_finished' }],
    ['a_code_of_next_year', 'needs_information', { field: 'check', code: 'not_confirmed' }],
  ])('%s is %s', async (code, status, reason) => {
    const { provider, update } = await startStripeWorld()
    const { checkId } = requireKnown(await provider.create(order))
    update(checkId, { last_error: { code, reason: 'English' } })
    const isHosted = status === 'needs_information'
    expect(await provider.lookup(checkId, person)).toEqual({ status, checkId, reasons: [reason], isHosted })
  })

  test('is undecided while it is processed, and must be submitted again after a cancellation', async () => {
    const { provider, update } = await startStripeWorld()
    const { checkId } = requireKnown(await provider.create(order))
    update(checkId, { status: 'processing' })
    expect(await provider.lookup(checkId, person)).toMatchObject({ status: 'pending', isHosted: false })
    update(checkId, { status: 'canceled' })
    expect(await provider.lookup(checkId, person)).toMatchObject({ status: 'needs_information', isHosted: false })
    update(checkId, { status: 'a_state_of_next_year' })
    expect((await provider.lookup(checkId, person)).status).toBe('unknown')
  })

  test('a key without permission is a fault that names its variable', async () => {
    const { provider, stripeDouble } = await startStripeWorld()
    const refusal = { error: { type: 'invalid_request_error', code: 'more_permissions_required', message: 'No' } }
    stripeDouble.on(sessions, { status: 403, body: refusal })
    const fault = { status: 'unknown', fault: 'configuration', reason: expect.stringContaining('STRIPE_IDENTITY_KEY') }
    expect(await provider.create(order)).toEqual(fault)
    stripeDouble.on(sessions, { status: 500, body: { error: { type: 'api_error', message: 'Down' } } })
    expect((await provider.create(order)).status).toBe('unknown')
  })
})

// The first people on a new server, for empty-server.sh:
// node deploy/checks/first-visits.ts operator LINK           stores a passkey with the link of `tern desk add`, and logs in
// node deploy/checks/first-visits.ts customer PUBLIC_URL     registers, verifies, logs in and reads the wallet

import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from '../../packages/contract/src/protocol/client.ts'
import { register } from '../../packages/contract/src/identity.ts'
import { kycStatus } from '../../packages/contract/src/kyc.ts'
import { submitKyc, verificationForm } from '../../packages/contract/src/kyc/verification-form.ts'
import { login, verifyEmail } from '../../packages/contract/src/sign-in.ts'
import { walletOfUser } from '../../packages/contract/src/wallets.ts'
import { createDeskCaller } from '../../packages/testkit/src/desk-caller.ts'
import { createTestAuthenticator } from '../../packages/testkit/src/identity/authenticator.ts'
import { generateNationalId } from '../../packages/testkit/src/national-ids.ts'
import type { ReceivedMail } from '../../packages/testkit/src/providers/provider-doubles.ts'

const mailsUrl = 'http://localhost:15000'
const email = 'ana@customer.example'
const password = 'a sound passphrase of Ana'
const longestWaitMs = 600_000

async function visitAsOperator(link: string): Promise<void> {
  const { origin } = new URL(link)
  const { enrol, readToken, signIn } = createDeskCaller(origin)
  const authenticator = createTestAuthenticator(origin)
  const enrolled = await enrol(readToken(link), authenticator)
  const signedIn = await signIn(authenticator)
  if (enrolled.status >= 300 || signedIn.status >= 300) {
    throw new Error(`The desk answers ${enrolled.status} to the passkey and ${signedIn.status} to the login.`)
  }
}

/** Returns the token of the newest link for this page that was mailed. */
async function waitForLink(page: string): Promise<string> {
  for (const end = Date.now() + longestWaitMs; Date.now() < end; await delay(200)) {
    const mails = (await (await fetch(mailsUrl)).json()) as ReceivedMail[]
    const text = mails.findLast(({ to }) => to.includes(email))?.text ?? ''
    // Quoted-printable text continues a line after "=", and writes "=" as "=3D".
    const readable = text.replaceAll('=\r\n', '').replaceAll('=3D', '=')
    const token = new RegExp(`/${page}\\?token=([\\w-]+)`).exec(readable)?.[1]
    if (token !== undefined) return token
  }
  throw new Error(`No mail with a link to ${page} arrived.`)
}

async function visitAsCustomer(publicUrl: string): Promise<void> {
  const session: { token?: string } = {}
  const { call } = createClient({ baseUrl: `${publicUrl}/api`, accessToken: () => session.token, timeoutMs: 30_000 })
  const { id } = await call(register, { body: { email, password, username: 'ana.silva', name: 'Ana' } })
  await call(verifyEmail, { body: { token: await waitForLink('verify-email') } })
  const signedIn = await call(login, { body: { email, password } })
  if (!('access_token' in signedIn)) throw new Error('The login asks for a second factor.')
  session.token = signedIn.access_token
  const params = { id: String(id) }
  // Name and birth date of the document that the double of Stripe Identity accepts.
  const form = verificationForm.parse({
    ...{ email, firstName: 'Ana', lastName: 'Silva', dateOfBirth: '1990-02-03', country: 'Germany' },
    ...{ nationality: 'Portugal', idNumber: generateNationalId('Germany'), currencyPreference: 'EUR' },
    ...{ documentType: 'passport', documentNumber: 'P1234567', streetAddress: '1 Main Street', city: 'Berlin' },
    ...{ state: 'Berlin', postalCode: '10115' },
  })
  let { status } = await call(submitKyc, { params, body: form })
  for (const end = Date.now() + longestWaitMs; status === 'pending' && Date.now() < end; await delay(500)) {
    status = (await call(kycStatus, { params })).status
  }
  if (status !== 'verified') throw new Error(`The verification ended as ${status}.`)
  const wallet = await call(walletOfUser, { params: { userId: String(id) } })
  const page = await (await fetch(`${publicUrl}/wallet`)).text()
  if (!page.includes('<title>')) throw new Error('The page of the wallet did not arrive.')
  console.log(`      ${email} is verified and logged in; the wallet holds ${wallet.base_currency}.`)
}

const [role, address] = process.argv.slice(2)
if (address === undefined) throw new Error('Which address?')
await (role === 'operator' ? visitAsOperator(address) : visitAsCustomer(address))

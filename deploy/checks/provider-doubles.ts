// Serves the doubles of all providers with TLS, for empty-server.sh:
// node deploy/checks/provider-doubles.ts PUBLIC_URL CERTIFICATE KEY SETTINGS SECRETS
//
// Writes the settings of a product that uses them to the file SETTINGS, and the secret ones, each in a file of its own,
// into the folder SECRETS. The mails that arrive are listed at http://localhost:15000.

import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { startTlsProxy } from '../../packages/testkit/src/http/tls-proxy.ts'
import {
  listSettings,
  mailPassword,
  startProviderDoubles,
} from '../../packages/testkit/src/providers/provider-doubles.ts'
import { secretSettings } from '../../packages/server/src/platform/runtime/secret-files.ts'

const [publicUrl, certificateFile, keyFile, settingsFile, secretsFolder] = process.argv.slice(2)
if (!publicUrl || !certificateFile || !keyFile || !settingsFile || !secretsFolder) throw new Error('What is missing?')

const mailsPort = 15_000
const mailPort = 465
const ports = { stripe: 15_001, adyen: 15_002, login: 15_003, sources: 15_004, checkout: 15_005 } as const
const addressOf = (name: keyof typeof ports): string => `https://${name}.example:${ports[name]}`

const certificate = { cert: fs.readFileSync(certificateFile, 'utf8'), key: fs.readFileSync(keyFile, 'utf8') }
const doubles = await startProviderDoubles({
  publicUrl,
  mail: { certificate, port: mailPort },
  loginOrigin: addressOf('login'),
})
const { stripe, adyen, adyenCards, sources, login, mail } = doubles
const urls = {
  stripe: stripe.url,
  adyen: adyen.url,
  checkout: adyenCards.url,
  login: login.url,
  sources: sources.url,
}
for (const [name, port] of Object.entries(ports)) {
  const proxy = await startTlsProxy(certificate, port)
  proxy.passTo(Number(new URL(urls[name as keyof typeof ports]).port))
}
http.createServer((_request, response) => response.end(JSON.stringify(mail.mails))).listen(mailsPort, 'localhost')

const settings = {
  ...doubles.settings,
  STRIPE_API_URL: addressOf('stripe'),
  ADYEN_API_URL: addressOf('adyen'),
  ADYEN_CHECKOUT_URL: addressOf('checkout'),
  ECB_RATES_URL: `${addressOf('sources')}/ecb`,
  BITSTAMP_URL: addressOf('sources'),
  SCREENING_LIST_URLS: listSettings(addressOf('sources')),
  SMTP_URL: `smtps://tern:${mailPassword}@mail.example:${mailPort}`,
}
const secretNames = new Set<string>(secretSettings)
const lines = Object.entries(settings).map(([name, value]) => {
  if (!secretNames.has(name)) return `${name}='${value}'\n`
  const file = name.toLowerCase()
  fs.writeFileSync(path.join(secretsFolder, file), value)
  return `${name}_FILE=/etc/tern/secrets/${file}\n`
})
fs.writeFileSync(settingsFile, lines.join(''))

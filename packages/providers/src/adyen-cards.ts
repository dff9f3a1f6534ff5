import { type AdyenCardSettings, adyenCheckoutVersion } from './adyen-card-settings.ts'
import { createAdyenCardsSetup } from './adyen-cards-setup.ts'
import { type AdyenConnection, adyenKeysKeptMs, callAdyen } from './adyen-http.ts'
import { createAdyenCardProvider } from './collect/adyen-card.ts'
import { createAdyenNotifications } from './events/adyen-notifications.ts'
import type { MoneyProvider } from './money.ts'

/** Takes cards on pages of Adyen's Pay by Link. It saves no cards, and its books cannot be compared with ours. */
export function createAdyenCards(settings: AdyenCardSettings): MoneyProvider {
  const connection = connectCheckout(settings)
  return {
    name: 'adyen-cards',
    collect: { keysKeptMs: adyenKeysKeptMs, card: createAdyenCardProvider({ ...settings, connection }) },
    events: createAdyenNotifications(settings),
    setup: createAdyenCardsSetup(settings),
    check: () => check(connection),
  }
}

const connectCheckout = ({ apiKey, checkoutUrl, timeoutMs }: AdyenCardSettings): AdyenConnection => ({
  apiKey,
  keyName: 'ADYEN_CHECKOUT_KEY',
  baseUrl: `${checkoutUrl}/${adyenCheckoutVersion}`,
  timeoutMs,
})

/** Checks the key by ordering an empty page, which Adyen refuses. A missing reply proves nothing about the key. */
async function check(connection: AdyenConnection): Promise<string | undefined> {
  const answer = await callAdyen(connection, 'POST', '/paymentLinks', { body: '{}' })
  return answer.status === 'unknown' && answer.fault ? answer.reason : undefined
}

/** Our merchant account at Adyen. */
export interface AdyenCardSettings {
  readonly apiKey: string
  readonly merchantAccount: string
  /** HMAC keys of our standard webhook, in hexadecimal; an event may be signed with any of them. */
  readonly webhookKeys: readonly string[]
  /** Address of the Checkout API, without its version. */
  readonly checkoutUrl: string
  /** Origin of the Management API, which `npx tern doctor` reads. */
  readonly managementUrl: string
  readonly isLive: boolean
  /** Time limit for one call, in milliseconds. */
  readonly timeoutMs?: number
}

export const adyenCheckoutVersion = 'v71'

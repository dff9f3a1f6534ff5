/** Rule that selects the provider for new payments, checks or mails that match all of its lists. */
export interface ProviderRule {
  readonly provider: string
  readonly method?: readonly string[]
  readonly currency?: readonly string[]
  /** Countries of residence (ISO 3166-1 alpha-2). */
  readonly country?: readonly string[]
}

/** Facts that rules match. A rule about a missing fact does not match. */
export interface ProviderChoice extends Readonly<
  Partial<Record<'method' | 'currency' | 'country', string | undefined>>
> {
  /** The payer wants the card to be saved. */
  readonly savesCard?: boolean
}

export interface ProviderRegistry<P extends { readonly name: string }> {
  readonly all: readonly P[]
  /** Returns the provider named in a stored row; undefined if it is not configured. */
  find(name: string): P | undefined
  /** Returns the provider for a new item by the first matching rule; undefined if none matches. */
  choose(choice?: ProviderChoice): P | undefined
}

/** Error in a rule whose provider is not configured or lacks a capability; the message is one sentence. */
export class ProviderRuleError extends Error {}

const conditions = ['method', 'currency', 'country'] as const

const matchesRule = (rule: ProviderRule, choice: ProviderChoice): boolean =>
  conditions.every((condition) => rule[condition]?.includes(choice[condition] ?? '') ?? true)

/**
 * Creates a registry of one kind. Without rules, the first capable provider gets all new items. Throws
 * ProviderRuleError.
 */
export function createRegistry<P extends { readonly name: string }>(
  all: readonly P[],
  rules: readonly ProviderRule[] = all.map(({ name }) => ({ provider: name })),
  isCapable: (provider: P, choice: ProviderChoice) => boolean = () => true,
): ProviderRegistry<P> {
  const byName = new Map(all.map((provider) => [provider.name, provider]))
  const ruledProviders = rules.map((rule) => {
    const provider = byName.get(rule.provider)
    if (provider) return { rule, provider }
    throw new ProviderRuleError(`A rule names the provider ${rule.provider}, which is not set up.`)
  })
  return {
    all,
    find: (name) => byName.get(name),
    choose: (choice = {}) =>
      ruledProviders.find(({ rule, provider }) => matchesRule(rule, choice) && isCapable(provider, choice))?.provider,
  }
}

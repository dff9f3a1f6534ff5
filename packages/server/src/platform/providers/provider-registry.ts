/** Rule that selects the provider for new payments, checks or mails that match all given lists. */
export interface ProviderRule {
  readonly provider: string
  readonly method?: readonly string[]
  readonly currency?: readonly string[]
  /** Countries of residence (ISO 3166-1 alpha-2). */
  readonly country?: readonly string[]
}

/** Facts that rules match. A rule about a missing fact does not match. */
export type ProviderChoice = Readonly<Partial<Record<'method' | 'currency' | 'country', string | undefined>>>

export interface ProviderRegistry<P extends { readonly name: string }> {
  readonly all: readonly P[]
  /** Returns the provider named in a row; undefined when it is not configured. */
  find(name: string): P | undefined
  /** Returns the provider for a new item by the first matching rule, if any. */
  choose(what?: ProviderChoice): P | undefined
}

/** Refusal of a rule that names an unconfigured provider; the message is one sentence. */
export class UnknownProviderError extends Error {}

const conditions = ['method', 'currency', 'country'] as const

const fits = (rule: ProviderRule, what: ProviderChoice): boolean =>
  conditions.every((condition) => rule[condition]?.includes(what[condition] ?? '') ?? true)

/**
 * Creates a registry of one kind. Without rules, the first provider takes all new items. Throws UnknownProviderError.
 */
export function createRegistry<P extends { readonly name: string }>(
  all: readonly P[],
  rules: readonly ProviderRule[] = all.slice(0, 1).map(({ name }) => ({ provider: name })),
): ProviderRegistry<P> {
  const byName = new Map(all.map((provider) => [provider.name, provider]))
  for (const { provider } of rules) {
    if (!byName.has(provider))
      throw new UnknownProviderError(`A rule names the provider ${provider}, which is not set up.`)
  }
  return {
    all,
    find: (name) => byName.get(name),
    choose(what = {}) {
      const rule = rules.find((one) => fits(one, what))
      return rule && byName.get(rule.provider)
    },
  }
}

type Forms = { readonly other: string } & { readonly [form in Intl.LDMLPluralRule]?: string }

/** Returns a plural function for a language: `plural('en')(count, { one: '1 row', other: `${count} rows` })`. */
export function plural(language: string): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language)
  return (count, forms) => forms[rules.select(count)] ?? forms.other
}

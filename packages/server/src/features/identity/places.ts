/** The country an address belongs to (ISO 3166-1 alpha-2), when it tells one. */
export const countryOf = (_address: string): string | undefined => undefined

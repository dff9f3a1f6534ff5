/** An amount as people of a locale write it, such as '$1,234.50' for '1234.50' of 'USD'. */
export const amountInWords = (locale: string, decimal: string, currency: string): string =>
  new Intl.NumberFormat(locale, { style: 'currency', currency }).format(decimal as `${number}`)

/** An amount as people of a locale write it, such as '$1,234.50' for '1234.50' of 'USD'. */
export const amountInWords = (locale: string, decimal: string, currency: string): string =>
  new Intl.NumberFormat(locale, { style: 'currency', currency }).format(decimal as `${number}`)

/** A day such as '21 November 2026' from '2026-11-21'. */
export const dayInWords = (locale: string, day: string): string =>
  new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  )

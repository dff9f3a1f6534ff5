/** Labels of the price check on the landing page and on /prices, which its browser script does not write. */
export const priceForm = {
  youSend: 'You send',
  theyGet: 'They get',
  sendFrom: 'Country you send from',
  sendTo: 'Country you send to',
  country: (name: string, currency: string) => `${name}, ${currency}`,
  total: 'Total to pay',
  example: (date: string) => `Example at the reference rate of ${date}`,
}

import { plural } from '../../../plural.ts'

const counted = plural('en')

/** Page /atlas: a year of transfers on a map. */
export const atlas = {
  years: 'Year',
  title: (year: string) => `Your atlas ${year}`,
  print: 'Print',
  failed: "We couldn't load your atlas.",
  person: (name: string, country: string) => `${name}, ${country}`,
  lead: (flights: number) =>
    counted(flights, {
      one: 'Your money crossed a border once. An Arctic tern crosses the world twice a year.',
      other: `Your money crossed borders ${flights} times. An Arctic tern crosses the world twice a year.`,
    }),
  unverifiedTitle: 'Your atlas begins with your country',
  unverifiedText: 'Verify your identity, and your transfers appear on a map around it.',
  verify: 'Verify your identity',
  emptyTitle: (year: string) => `No transfer crossed a border in ${year}`,
  emptyText: 'Send money to someone abroad, and the route appears here.',
  send: 'Send money',
  flights: 'transfers abroad',
  people: 'people',
  countries: 'countries',
  domestic: 'within your country',
  map: (countries: string) => `Map of the earth seen from your country, with lines to ${countries}`,
  sent: 'sent',
  received: 'received',
  farthest: 'farthest',
  legend: 'A wider line stands for more transfers.',
  costTitle: (sent: string) => `What it cost to send ${sent} abroad`,
  segment: (amount: string) => `One segment is ${amount}.`,
  routes: 'Routes',
  country: 'Country',
  times: 'Transfers',
  routePeople: 'People',
  fees: 'Fees',
  noFees: 'none',
  sentTo: 'Sent to',
  receivedFrom: 'Received from',
  elsewhere: (count: number) =>
    counted(count, {
      one: '1 transfer is left out: the other country is not known.',
      other: `${count} transfers are left out: the other country is not known.`,
    }),
  projection: (days: string) =>
    `${days}. Azimuthal equidistant projection centered on your country. Coastlines: Natural Earth.`,
}

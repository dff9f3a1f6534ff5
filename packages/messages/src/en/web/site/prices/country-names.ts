/** Names of the ten open countries on the public pages, whose scripts write them too. */
export const countryNames = {
  US: 'United States',
  GB: 'United Kingdom',
  CA: 'Canada',
  AU: 'Australia',
  DE: 'Germany',
  FR: 'France',
  JP: 'Japan',
  SG: 'Singapore',
  IN: 'India',
  BR: 'Brazil',
}

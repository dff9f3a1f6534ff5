/** Names of the ten supported countries on the public pages; also written by their scripts. */
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

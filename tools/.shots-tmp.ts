import fs from 'node:fs'
import { randomUUID } from 'node:crypto'
import { chromium } from '@playwright/test'
const W='/work/wt/orders-ui'
const { findBrowser } = await import(W+'/tools/browser.ts')
const { startTestProduct } = await import(W+'/tools/testing/test-product.ts')
const { enroll, fund } = await import(W+'/tools/testing/test-people.ts')
const { placeOrder, cancelOrder, orders } = await import(W+'/packages/contract/src/orders/orders.ts')
const { createRateAlert } = await import(W+'/packages/contract/src/orders/rate-alerts.ts')
const { createProtectionRule } = await import(W+'/packages/contract/src/orders/protection-rules.ts')
const { createQuote, exchangeMoney, currencyRate } = await import(W+'/packages/contract/src/exchange.ts')
const { settle } = await import(W+'/e2e/pages.ts')
const out='/tmp/oui-shots'; fs.mkdirSync(out,{recursive:true})
const { address, remove } = await startTestProduct({ SANDBOX_MARKET: 'walk' })
const url=address.E2E_URL
const browser = await chromium.launch(await findBrowser())
const key=()=>randomUUID()
try {
  const p = await enroll(url,'lucas','Germany')
  await fund(p, 2400_00)
  const swap=async(a,from,to)=>{const q=await p.call(createQuote,{body:{source_currency:from,target_currency:to,amount:a,side:'source'}});await p.call(exchangeMoney,{body:{quote_id:q.quote_id},idempotencyKey:key()})}
  await swap('1200','EUR','USDT'); await swap('200','EUR','USDC')
  const {rate}=await p.call(currencyRate,{params:{from:'USDT',to:'EUR'}})
  const at=(f)=>(Number(rate)*f).toFixed(4)
  console.log('rate',rate)
  const place=(kind,amount,f,more={})=>p.call(placeOrder,{body:{kind,source_currency:'USDT',target_currency:'EUR',rate_currency:'USDT',amount,rate:at(f),...more},idempotencyKey:key()})
  const filled=await place('limit','300',0.99)
  const stop=await place('stop','400',0.982)
  const c=await place('limit','20',1.03)
  await p.call(cancelOrder,{params:{id:c.id}})
  const lim=await place('limit','300',1.0087)
  await p.call(createRateAlert,{body:{source_currency:'USDT',target_currency:'EUR',rate:at(1.0035),rate_side:'at_least'},idempotencyKey:key()})
  await p.call(createRateAlert,{body:{source_currency:'USD',target_currency:'EUR',rate:at(0.5),rate_side:'at_least'},idempotencyKey:key()})
  for(let i=0;i<40;i++){const o=await p.call(orders,{query:{}}); if(o.history.some(x=>x.state==='filled'))break; await new Promise(r=>setTimeout(r,500))}
  await p.call(createProtectionRule,{body:{kind:'keep_share',currency:'USDC',share_percent:10,on:true},idempotencyKey:key()})
  await p.call(createProtectionRule,{body:{kind:'convert_incoming',currency:'USDT',threshold:'600'},idempotencyKey:key()})
  await fund(p, 300_00)
  await new Promise(r=>setTimeout(r,5000))
  const empty = await enroll(url,'noor','United States')
  const only=(process.argv[2]||undefined)?.split(',')
  const sizes=(process.argv[3]??'390,768,1024,1440,1920').split(',').map(Number)
  const shoot=async(who,name,path,prepare)=>{
    if(only&&!only.includes(name))return
    for(const colorScheme of ['light','dark']) for(const width of sizes){
      const context=await browser.newContext({baseURL:url,colorScheme,viewport:{width,height:width<600?844:900},locale:'en-US',timezoneId:'Europe/Berlin'})
      const page=await context.newPage()
      page.on('console',m=>{if(m.type()==='error'||m.type()==='warning')console.log(name,width,m.text())})
      page.on('pageerror',e=>console.log(name,width,String(e)))
      await page.request.post('/api/user/login',{headers:{origin:url},data:{email:who.email,password:who.password}})
      await page.goto(path)
      try{await settle(page); await page.locator('.order-table,.rule,.empty').first().waitFor({timeout:15000}); if(prepare)await prepare(page); await settle(page)}catch(e){console.log(name,width,String(e).slice(0,300))}
      await page.screenshot({path:`${out}/${name}-${width}-${colorScheme}.png`,fullPage:true})
      await context.close()
    }
  }
  await shoot(p,'orders',`/exchange/orders?order=${lim.id}`)
  await shoot(p,'moved',`/exchange/orders?order=${lim.id}`,async page=>{const g=page.getByRole('slider',{name:'Limit rate'});await g.focus();for(let i=0;i<6;i++)await page.keyboard.press('ArrowDown')})
  await shoot(p,'filled',`/exchange/orders?order=${filled.id}`)
  await shoot(p,'stopnew',`/exchange/orders`,async page=>{await page.getByRole('button',{name:'Stop',exact:true}).click();await page.getByLabel('Exchange',{exact:true}).fill('5000')})
  await shoot(p,'alertnew',`/exchange/orders`,async page=>{await page.getByRole('button',{name:'Alert',exact:true}).click()})
  await shoot(p,'protection','/exchange/protection')
  await shoot(p,'ruledialog','/exchange/protection',async page=>{await page.getByRole('button',{name:'10%, change'}).click();await page.getByRole('dialog').waitFor()})
  await shoot(empty,'orders-empty','/exchange/orders')
  await shoot(empty,'protection-empty','/exchange/protection')
  await shoot(p,'transactions','/transactions')
} finally { await browser.close(); await remove() }

function e(e,n){return[e,...n].map(e=>e.map(t).join(`,`)).join(`
`)}function t(e){let t=e===null?``:String(e);return/[",\n\r]/.test(t)?`"${t.replaceAll(`"`,`""`)}"`:t}export{e as t};
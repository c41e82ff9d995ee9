'use strict';
// Where the npm packages come from: node_modules beside this file, or the folder that NUMEN_NODE_MODULES names.

const path = require('path');
const { createRequire } = require('module');

const folder = path.resolve(process.env.NUMEN_NODE_MODULES || path.join(__dirname, 'node_modules'));
if (path.basename(folder) !== 'node_modules') {
  throw new Error(`NUMEN_NODE_MODULES must name a folder called node_modules, not ${folder}`);
}

/** Load a package by name, as a script standing beside that folder would. */
const load = createRequire(path.join(folder, '..', 'index.js'));

module.exports = { load };

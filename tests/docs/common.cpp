// SPDX-License-Identifier: Apache-2.0
// Nothing but what is precompiled for the snippets of the documentation.
